import { groupBy } from '../../src/base/group-by.ts';
import type { Violation } from './model.ts';
import type { SelectAnswer, Selected } from './replica.ts';
import type { AdCall, World } from './story.ts';

interface Answered extends SelectAnswer {
  readonly call: AdCall;
  /** The ads that an earlier request of the page has reserved. */
  readonly kept: ReadonlySet<Selected>;
}

/** Beside whom an ad is not shown, as booked. */
interface Rivalry {
  readonly advertiserId: number | null;
  readonly isSingle: boolean;
  readonly labels: readonly string[];
}

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

/** @param rows of the story's advertisers and publishers, which no step changes */
export const createShownPages = ({ advertisers, publishers }: Pick<World['rows'], 'advertisers' | 'publishers'>): ShownPages => {
  const single = new Set(advertisers.filter(({ exclusive }) => exclusive === true).map(({ id }) => id));
  const labels = new Map(advertisers.map(({ id, exclusion_labels }) => [id, exclusion_labels as readonly string[]]));
  const onePerAdvertiser = new Set(publishers.filter(({ one_per_advertiser: one }) => one === true).map(({ id }) => id));
  const rivalryOf = ({ ad: { publisherId }, campaign: { advertiserId } }: Selected): Rivalry => ({
    advertiserId,
    isSingle: single.has(advertiserId) || onePerAdvertiser.has(publisherId),
    labels: labels.get(advertiserId) ?? [],
  });
  const pages = new Map<string, Page>();
  const checkOne = ({ call, ads, kept }: Answered, isSure: boolean, redisMs: number): readonly Violation[] => {
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
      // What was kept for the page was reserved with others that it may be beside.
      const faults = block.flatMap((one) => (kept.has(one) ? [] : faultsBeside(known, one, rivalryOf(one))));
      for (const one of block) show(known, one, rivalryOf(one));
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
  { ad: { creativeId, tokenId } }: Selected,
  { advertiserId, isSingle, labels }: Rivalry,
): readonly string[] => [
  ...(creatives.has(creativeId) ? [`creative ${creativeId} twice (${tokenId})`] : []),
  ...(isSingle && advertiserId !== null && advertisers.has(advertiserId) ? [`advertiser ${advertiserId} twice (${tokenId})`] : []),
  ...labels
    .filter((label) => (advertisers.get(label) ?? advertiserId) !== advertiserId)
    .map((label) => `advertiser ${advertiserId} beside ${advertisers.get(label)} with the label ${label} (${tokenId})`),
];

const show = (
  { creatives, advertisers }: Pick<Page, 'creatives' | 'advertisers'>,
  { ad }: Selected,
  { advertiserId, isSingle, labels }: Rivalry,
): void => {
  creatives.add(ad.creativeId);
  if (advertiserId === null) return;
  for (const name of [...(isSingle ? [advertiserId] : []), ...labels]) advertisers.set(name, advertiserId);
};
