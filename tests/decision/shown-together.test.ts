import fc from 'fast-check';
import { NO_TRAITS, type AdvertiserTraits } from '../../src/catalog/model/advertiser.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { ShownTogether } from '../../src/decision/shown-together.ts';
import { campaign, candidate, lineItem } from './candidates.ts';

const ad = (creativeId: number, advertiserId: number | null, traits: Partial<AdvertiserTraits> = {}) =>
  candidate(lineItem({ id: 1 }), { creativeId, campaign: campaign({ advertiserId, traits: { ...NO_TRAITS, ...traits } }) });

/** Why the second may not be shown beside the first. */
const beside = (first: ReturnType<typeof ad>, second: ReturnType<typeof ad>) => {
  const shown = new ShownTogether();
  shown.add(first);
  return shown.refusalOf(second);
};

test('two advertisers that share an exclusion label are not shown together, two ads of one of them are', () => {
  const cars = { exclusionLabels: ['fast', 'cars'] };
  expect(beside(ad(1, 1, cars), ad(2, 2, { exclusionLabels: ['cars'] }))).toBe(NoBidReason.CompetitorInPage);
  expect(beside(ad(1, 1, cars), ad(2, 2, { exclusionLabels: ['banks'], labels: ['cars'] }))).toBeUndefined();
  expect(beside(ad(1, 1, cars), ad(2, 1, cars))).toBeUndefined();
  expect(beside(ad(1, 1, cars), ad(1, 1, cars))).toBe(NoBidReason.DuplicateInPage);
});

test('an exclusive advertiser is shown once, beside others', () => {
  expect(beside(ad(1, 1, { exclusive: true }), ad(2, 1, { exclusive: true }))).toBe(NoBidReason.CompetitorInPage);
  expect(beside(ad(1, 1, { exclusive: true }), ad(2, 2, { exclusive: true }))).toBeUndefined();
  expect(beside(ad(1, null), ad(2, null))).toBeUndefined();
});

test('an ad is refused beside several exactly when it is refused beside one of them', () => {
  const some = fc.record({
    creativeId: fc.integer({ min: 1, max: 20 }),
    advertiserId: fc.integer({ min: 1, max: 4 }),
    exclusionLabels: fc.subarray(['a', 'b', 'c']),
  });
  fc.assert(
    fc.property(fc.array(some, { maxLength: 12 }), (specs) => {
      const shown = new ShownTogether();
      const added: ReturnType<typeof ad>[] = [];
      for (const { creativeId, advertiserId, exclusionLabels } of specs) {
        const next = ad(creativeId, advertiserId, { exclusive: advertiserId % 2 === 0, exclusionLabels });
        const refused = added.some((other) => beside(other, next) !== undefined);
        expect(shown.refusalOf(next) !== undefined).toBe(refused);
        if (refused) continue;
        shown.add(next);
        added.push(next);
      }
    }),
  );
});
