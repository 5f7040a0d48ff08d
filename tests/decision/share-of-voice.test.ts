import { CREATIVE_FORMATS } from '../../src/catalog/model/choices.ts';
import { NO_SALES_RULES } from '../../src/catalog/model/entities.ts';
import type { Candidate } from '../../src/catalog/snapshot/snapshot.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { rankCandidates } from '../../src/decision/rank-candidates.ts';
import { drawOnce } from '../../src/decision/share-of-voice.ts';
import { targetingQuery } from '../../src/targeting/targeting-query.ts';
import { targetingRules } from '../../src/targeting/targeting-rules.ts';
import { createChance } from '../../testkit/chance.ts';
import { indexOf } from '../../testkit/candidate-index.ts';
import { entry } from './candidate-index.ts';
import { NOON } from './candidates.ts';

const IMP = { impId: '1', placementId: 'top', size: { width: 300, height: 250 }, otherSizes: [], formats: CREATIVE_FORMATS };
const QUERY = { targeting: targetingQuery(new Map(), { country: 'DE' }), atMs: NOON, mayRemember: true };
/** Enough for shares to a tenth of a per cent: what is drawn for them is each part of the interval once. */
const REQUESTS = 2_000;

const withShare = (id: number, shareOfVoice: number, changes: Parameters<typeof entry>[2] = {}): Candidate =>
  entry(id, 1, { priority: 1, sales: { ...NO_SALES_RULES, shareOfVoice }, ...changes });

/** How often each line item comes first, in per cent; 0: none. */
const firsts = (
  entries: readonly Candidate[],
  exhausted: (position: number) => NoBidReason | 0 = () => 0,
): Readonly<Record<number, number>> => {
  const random = createChance(7);
  const direct = indexOf(entries);
  const counts: Record<number, number> = {};
  for (let i = 0; i < REQUESTS; i++) {
    const ranking = rankCandidates({
      direct,
      bids: [],
      query: QUERY,
      imp: IMP,
      exhausted,
      runsHere: () => true,
      random,
      voice: () => (i + 0.5) / REQUESTS,
    });
    const [first] = ranking.take(1);
    counts[first?.lineItem.id ?? 0] = (counts[first?.lineItem.id ?? 0] ?? 0) + 100 / REQUESTS;
  }
  return counts;
};

test('shares of 30 and 70 per cent get 30 and 70 per cent, whatever others bid', () => {
  const counts = firsts([withShare(1, 30), withShare(2, 70), entry(3, 99, { priority: 1 })]);
  expect(Math.abs(counts[1]! - 30)).toBeLessThan(0.5);
  expect(Math.abs(counts[2]! - 70)).toBeLessThan(0.5);
  expect(counts[3]).toBeUndefined();
});

test('what shares leave goes to the line items without one, and to none with one', () => {
  const counts = firsts([withShare(1, 30), entry(2, 0.1, { priority: 3 })]);
  expect(Math.abs(counts[1]! - 30)).toBeLessThan(0.5);
  expect(Math.abs(counts[2]! - 70)).toBeLessThan(0.5);
  expect(Object.keys(firsts([withShare(1, 25)])).sort()).toEqual(['0', '1']);
});

test('a share is of the requests that the line item could serve', () => {
  const french = targetingRules({ countries: ['FR'] });
  const counts = firsts([withShare(1, 60, { targeting: french }), withShare(2, 60), entry(3, 1)]);
  expect(counts[1]).toBeUndefined();
  expect(Math.abs(counts[2]! - 60)).toBeLessThan(0.5);
});

test('shares above 100 per cent are scaled down to it', () => {
  const counts = firsts([withShare(1, 50), withShare(2, 150), entry(3, 1)]);
  expect(Math.abs(counts[1]! - 25)).toBeLessThan(0.5);
  expect(Math.abs(counts[2]! - 75)).toBeLessThan(0.5);
  expect(counts[3]).toBeUndefined();
});

test('a drawn line item that is at its cap leaves the request to those without a share', () => {
  const counts = firsts([withShare(1, 50), withShare(2, 50), entry(3, 1)], (position) => (position === 0 ? NoBidReason.DailyCap : 0));
  expect(Math.abs(counts[2]! - 50)).toBeLessThan(0.5);
  expect(Math.abs(counts[3]! - 50)).toBeLessThan(0.5);
});

test('all impressions of a request are given to the same share, and the reason of the others says so', () => {
  const random = createChance(3);
  const direct = indexOf([withShare(1, 50), withShare(2, 50)]);
  for (let i = 0; i < 100; i++) {
    const voice = drawOnce(random);
    const rankings = [0, 1, 2].map(() =>
      rankCandidates({ direct, bids: [], query: QUERY, imp: IMP, exhausted: () => 0, runsHere: () => true, random, voice }),
    );
    const served = rankings.map((ranking) => ranking.take(4).map(({ lineItem }) => lineItem.id));
    expect(new Set(served.flat()).size).toBe(1);
    expect(rankings[0]!.leftToOthers().map(({ lineItem }) => lineItem.id)).not.toContain(served[0]![0]);
  }
  const none = rankCandidates({
    direct: indexOf([withShare(1, 10)]),
    bids: [],
    query: QUERY,
    imp: IMP,
    exhausted: () => 0,
    runsHere: () => true,
    random,
    voice: () => 0.5,
  });
  expect([none.take(1), none.passedOver()]).toEqual([[], NoBidReason.ShareOfVoice]);
});
