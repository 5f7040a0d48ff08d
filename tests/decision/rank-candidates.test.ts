import fc from 'fast-check';
import { CREATIVE_FORMATS } from '../../src/catalog/model/choices.ts';
import type { Candidate } from '../../src/catalog/snapshot/snapshot.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { rankCandidates } from '../../src/decision/rank-candidates.ts';
import { firstRefusal, RULES_OF_PLACE } from '../../src/decision/rules.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { targetingQuery } from '../../src/targeting/targeting-query.ts';
import { targetingRules } from '../../src/targeting/targeting-rules.ts';
import { indexOf } from '../../testkit/candidate-index.ts';
import { entry } from './candidate-index.ts';
import { NOON, perUser } from './candidates.ts';

const IMP = { impId: '1', placementId: 'top', size: { width: 300, height: 250 }, otherSizes: [], formats: CREATIVE_FORMATS };
const QUERY = { targeting: targetingQuery(new Map(), { country: 'DE', device: 'mobile' }), atMs: NOON, mayRemember: true };

const rank = (entries: readonly Candidate[], options: Partial<Parameters<typeof rankCandidates>[0]> = {}) =>
  rankCandidates({
    direct: indexOf(entries),
    bids: [],
    query: QUERY,
    imp: IMP,
    exhausted: () => 0,
    runsHere: () => entries.some((candidate) => !firstRefusal(RULES_OF_PLACE, candidate, QUERY, IMP)),
    random: Math.random,
    ...options,
  });

const ids = (ranked: readonly RankedCandidate[]): number[] => ranked.map(({ lineItem: { id } }) => id);

describe('the ranking', () => {
  it('orders bids and direct line items together by priority, then by eCPM', () => {
    const direct = [entry(1, 1), entry(2, 5), entry(3, 9, { priority: 3 }), entry(4, 0.1, { priority: 1 })];
    const bid = (id: number, usd: number, priority: 1 | 2 | 3 = 2) => ({ booking: entry(id, 0, { priority }), cpmMicros: usd * 1e6 });
    expect(ids(rank(direct, { bids: [bid(10, 3), bid(11, 7), bid(12, 20, 3)] }).take(20))).toEqual([4, 11, 2, 10, 1, 12, 3]);
  });

  it('draws equal candidates by their weights', () => {
    const direct = indexOf([entry(1, 1), entry(2, 1), entry(3, 1)], [0.5, 1, 2]);
    const first = [0, 0, 0];
    const draws = 20_000;
    let state = 1;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let i = 0; i < draws; i++) {
      const ranked = ids(rank([], { direct, random }).take(3));
      expect([...ranked].sort()).toEqual([1, 2, 3]);
      first[ranked[0]! - 1]!++;
    }
    for (const [i, weight] of [0.5, 1, 2].entries()) expect(first[i]! / draws).toBeCloseTo(weight / 3.5, 1.5);
  });

  it('orders equal candidates at random with equal probability', () => {
    const tied = [1, 2, 3, 4].map((id) => entry(id, 2));
    const first = new Map<number, number>();
    for (let i = 0; i < 8000; i++) {
      const [winner] = ids(rank(tied).take(1)) as [number];
      first.set(winner, (first.get(winner) ?? 0) + 1);
    }
    // Four standard deviations of a binomial with n = 8000, p = 1/4.
    for (const id of [1, 2, 3, 4]) expect(Math.abs((first.get(id) ?? 0) - 2000)).toBeLessThan(155);
  });

  it('equals a full sort of all eligible candidates, for any number taken', () => {
    const items = fc.array(
      fc.record({
        ecpm: fc.integer({ min: 1, max: 5 }),
        priority: fc.constantFrom(1, 2, 3),
        started: fc.boolean(),
        wide: fc.boolean(),
        capped: fc.boolean(),
        country: fc.constantFrom('DE', 'FR'),
      }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 50 }), fc.boolean(), (specs, most, mayRemember) => {
        const entries = specs.map(({ ecpm, priority, started, wide, capped, country }, i) =>
          entry(
            i + 1,
            ecpm,
            {
              priority: priority,
              flight: { startMs: started ? 0 : NOON + 1, endMs: NOON + 2 },
              frequencyCaps: capped ? perUser(1, 1000) : [],
              targeting: targetingRules({ countries: [country] }),
            },
            wide ? { width: 400, height: 10 } : null,
          ),
        );
        const ranking = rank(entries, { query: { ...QUERY, mayRemember } });
        const taken: RankedCandidate[] = [];
        for (let some = ranking.take(most); some.length > 0; some = ranking.take(most)) taken.push(...some);

        const wanted = entries.filter(
          ({ creative, lineItem: item }) =>
            item.flight.startMs <= NOON &&
            creative.width === null &&
            item.targeting[0]?.values[0] === 'DE' &&
            (mayRemember || item.frequencyCaps.length === 0),
        );
        const keyOf = ({ lineItem: item, ecpmMicros }: { lineItem: { priority: number }; ecpmMicros: number }) => [
          item.priority,
          -ecpmMicros,
        ];
        expect(taken.map(keyOf)).toEqual(wanted.map(keyOf).sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!));
        expect(ids(taken).sort((a, b) => a - b)).toEqual(wanted.map(({ lineItem: { id } }) => id));
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  it('skips candidates that are known to be exhausted', () => {
    const ranking = rank([entry(1, 5), entry(2, 4), entry(3, 3)], { exhausted: (position) => (position < 2 ? NoBidReason.DailyCap : 0) });
    expect(ids(ranking.take(8))).toEqual([3]);
    expect(ranking.passedOver()).toBe(NoBidReason.DailyCap);
  });
});

describe('the reason for an empty ranking', () => {
  const inFrance = { targeting: targetingRules({ countries: ['FR'] }) };
  it.each([
    [
      'targeting, when a line item matches everything else',
      [entry(1, 1, inFrance), entry(2, 1, {}, { width: 400, height: 10 })],
      NoBidReason.Targeting,
    ],
    ['size, when nothing fits', [entry(1, 1, {}, { width: 400, height: 10 })], NoBidReason.SizeOrFormat],
    [
      'flight, when what fits has ended',
      [entry(1, 1, { flight: { startMs: 0, endMs: NOON } }), entry(2, 1, {}, { width: 400, height: 10 })],
      NoBidReason.NotInFlight,
    ],
    ['flight, when it has not begun', [entry(1, 1, { flight: { startMs: NOON + 1, endMs: NOON + 2 } })], NoBidReason.NotInFlight],
    ['flight, at the moment it ends', [entry(1, 1, { flight: { startMs: 0, endMs: NOON } })], NoBidReason.NotInFlight],
  ])('is %s', (_, entries, reason) => {
    const ranking = rank(entries);
    expect(ranking.take(8)).toEqual([]);
    expect(ranking.passedOver()).toBe(reason);
  });

  it('is consent, when a frequency cap cannot be kept', () => {
    const ranking = rank([entry(1, 1, { frequencyCaps: perUser(1, 1000) })], { query: { ...QUERY, mayRemember: false } });
    expect(ranking.take(8)).toEqual([]);
    expect(ranking.passedOver()).toBe(NoBidReason.Consent);
  });
});
