import { groupBy } from '../../src/base/group-by.ts';
import type { Violation } from './model.ts';
import type { SelectAnswer, Selected } from './replica.ts';
import type { AdCall } from './story.ts';

type Answered = SelectAnswer & { readonly call: AdCall };

/** What page views have shown, over all replicas and steps. */
export interface ShownPages {
  /**
   * Whether a page view got a creative twice, an advertiser that may be there once, or competitors.
   *
   * @param isSure Redis was there and answered: else a page is decided without what it has shown, and is not known any more
   */
  check(answers: readonly Answered[], isSure: boolean, redisMs: number): readonly Violation[];
  /** Redis has lost what it knew. */
  forget(): void;
}

interface Page {
  readonly creatives: Set<number>;
  /** Of ads whose advertiser may be there once, or shares a label with others: advertisers by their id, and by label. */
  readonly advertisers: Map<number | string, number>;
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
    const known = before && redisMs < before.untilMs ? before : { creatives: new Set<number>(), advertisers: new Map(), isKnown: true };
    const isKnown = known.isKnown && isSure && ads.every(({ fromLots, reserved }) => reserved && !fromLots);
    pages.set(key, { ...known, isKnown, untilMs: redisMs + KNOWN_MS });
    if (!isKnown) return [];
    // The ads of a roadblock exclude others and not each other: one creative may be on all its placements.
    const blocks = groupBy(ads, ({ ad, together }) => (together.length > 0 ? `line item ${ad.lineItemId}` : ad.tokenId));
    return [...blocks.values()].flatMap((block) => {
      const faults = block.flatMap((one) => faultsBeside(known, one));
      for (const one of block) show(known, one);
      return faults.map((text) => ({ rule: 'page view', text: `${call.view} of publisher ${call.publisher} got ${text}` }));
    });
  };
  return {
    check: (answers, isSure, redisMs) => answers.flatMap((answer) => checkOne(answer, isSure, redisMs)),
    forget: () => pages.clear(),
  };
};

const faultsBeside = (
  { creatives, advertisers }: Pick<Page, 'creatives' | 'advertisers'>,
  { ad: { creativeId, tokenId }, campaign: { advertiserId, traits } }: Selected,
): readonly string[] => [
  ...(creatives.has(creativeId) ? [`creative ${creativeId} twice (${tokenId})`] : []),
  ...(traits.exclusive && advertiserId !== null && advertisers.has(advertiserId) ? [`advertiser ${advertiserId} twice (${tokenId})`] : []),
  ...traits.exclusionLabels
    .filter((label) => (advertisers.get(label) ?? advertiserId) !== advertiserId)
    .map((label) => `advertiser ${advertiserId} beside ${advertisers.get(label)} with the label ${label} (${tokenId})`),
];

const show = (
  { creatives, advertisers }: Pick<Page, 'creatives' | 'advertisers'>,
  { ad, campaign: { advertiserId, traits } }: Selected,
): void => {
  creatives.add(ad.creativeId);
  if (advertiserId === null) return;
  for (const name of [...(traits.exclusive ? [advertiserId] : []), ...traits.exclusionLabels]) advertisers.set(name, advertiserId);
};
