import type { Violation } from './model.ts';
import type { SelectAnswer } from './replica.ts';
import type { AdCall } from './story.ts';

type Answered = SelectAnswer & { readonly call: AdCall };

/** What page views have shown, over all replicas and steps. */
export interface ShownPages {
  /**
   * Whether a page view got a creative twice.
   *
   * @param isSure Redis was there and answered: else a page is decided without what it has shown, and is not known any more
   */
  check(answers: readonly Answered[], isSure: boolean, redisMs: number): readonly Violation[];
  /** Redis has lost what it knew. */
  forget(): void;
}

interface Page {
  readonly creatives: Set<number>;
  readonly isKnown: boolean;
  readonly untilMs: number;
}

/** A page is known for ten minutes after its last ad; the clock of Redis may step back. */
const KNOWN_MS = 600_000 - 10_000;

export const createShownPages = (): ShownPages => {
  const pages = new Map<string, Page>();
  const checkOne = ({ call, ads }: Answered, isSure: boolean, redisMs: number): readonly Violation[] => {
    if (call.view === null) return [];
    const key = `${call.publisher} ${call.view}`;
    const before = pages.get(key);
    const known = before && redisMs < before.untilMs ? before : { creatives: new Set<number>(), isKnown: true };
    const isKnown = known.isKnown && isSure && ads.every(({ fromLots, reserved }) => reserved && !fromLots);
    pages.set(key, { creatives: known.creatives, isKnown, untilMs: redisMs + KNOWN_MS });
    if (!isKnown) return [];
    // The ads of a roadblock exclude others and not each other: one creative may be on all its placements.
    const blocked = new Set<number>();
    return ads.flatMap(({ ad: { creativeId, tokenId }, together }) => {
      const isAgain = known.creatives.has(creativeId) && !blocked.has(creativeId);
      known.creatives.add(creativeId);
      if (together.length > 0) blocked.add(creativeId);
      return isAgain
        ? [{ rule: 'page view', text: `${call.view} of publisher ${call.publisher} got creative ${creativeId} twice (${tokenId})` }]
        : [];
    });
  };
  return {
    check: (answers, isSure, redisMs) => answers.flatMap((answer) => checkOne(answer, isSure, redisMs)),
    forget: () => pages.clear(),
  };
};
