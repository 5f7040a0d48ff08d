import fc from 'fast-check';
import type { FrequencyCap, SharedCount } from '../../src/catalog/model/frequency-caps.ts';
import type { Campaign } from '../../src/catalog/model/entities.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import { isShareable } from '../../src/ledger/allowances/stock.ts';
import { campaign, candidate, DAY, HOUR, lineItem, MINUTE, NOON, perUser } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

const cap = (scope: FrequencyCap['scope'], max: number, windowMs: number, of: FrequencyCap['of'] = 'impressions'): FrequencyCap => ({
  ...{ scope, of, max, windowMs },
});
const counting = (scope: SharedCount['scope'], windowMs: number, of: SharedCount['of'] = 'impressions'): Partial<Campaign> => ({
  counted: [{ scope, of, windowMs }],
});
/** Of a campaign whose ads count for the caps of its line items. */
const of = (id: number, caps: readonly FrequencyCap[], changes: Partial<Campaign> = {}) =>
  candidate(lineItem({ id, campaignId: changes.id ?? 1, frequencyCaps: caps }), { campaign: campaign(changes) });

const show = async (one: ReturnType<typeof of>, user = 'ann') => {
  const reservation = await rig.reserve([[one]], user);
  const [imp] = reservation.imps;
  if (imp!.winner !== 0) return imp!.refused[0];
  const ad = servedAd(reservation, one, user);
  await rig.settle(ad);
  return ad;
};
const refused = NoBidReason.FrequencyCapped;

test('all caps of a line item must hold, each within its own window', async () => {
  const one = of(1, [cap('line_item', 1, 10 * MINUTE), cap('line_item', 3, DAY), cap('line_item', 5, 366 * DAY)]);
  const shown: number[] = [];
  for (let minute = 0; minute < 49 * 60; minute += 5) {
    await rig.at(NOON + minute * MINUTE);
    if (typeof (await show(one)) === 'object') shown.push(minute);
  }
  // The third place of the first day ends a day after it was taken.
  expect(shown).toEqual([0, 10, 20, 1440, 1450]);
});

test.each([
  ['VCPM', 'viewable'],
  ['CPCV', 'complete'],
] as const)('an ad of %s takes one place for its impression, and none for the event that bills it', async (budgetType, eventType) => {
  const one = candidate(lineItem({ budgetType, cpmMicros: 1_000_000, frequencyCaps: [cap('line_item', 2, HOUR)] }));
  const ad = (await show(one)) as ServedAd;
  await rig.at(NOON + 2_000);
  expect(await rig.settle(ad, 'event', { eventType })).toMatchObject({ outcome: 'counted' });
  expect([typeof (await show(one)), await show(one)]).toEqual(['object', refused]);
});

test('a cap of a campaign counts what the user saw of all its line items, also of those without a cap', async () => {
  const counted = counting('campaign', HOUR);
  const [capped, free, elsewhere] = [of(1, [cap('campaign', 3, HOUR)], counted), of(2, [], counted), of(3, [], { ...counted, id: 2 })];
  expect([free, capped].map(isShareable)).toEqual([false, false]);
  for (const one of [free, elsewhere, elsewhere, capped, free]) expect(typeof (await show(one))).toBe('object');
  expect([await show(capped), typeof (await show(capped, 'bob')), typeof (await show(free))]).toEqual([refused, 'object', 'object']);
  await rig.at(NOON + HOUR);
  expect(typeof (await show(capped))).toBe('object');
});

test('a cap of an advertiser counts the ads of its campaigns; one that is not known has the campaign alone', async () => {
  const counted = counting('advertiser', HOUR);
  const caps = [cap('advertiser', 2, HOUR)];
  const [spring, summer, other] = [7, 7, 8].map((advertiserId, i) => of(i + 1, caps, { ...counted, id: i + 1, advertiserId }));
  expect(typeof (await show(spring!))).toBe('object');
  expect(typeof (await show(summer!))).toBe('object');
  expect([await show(spring!), await show(summer!), typeof (await show(other!))]).toEqual([refused, refused, 'object']);
  const unknown = of(9, caps, { ...counted, id: 9 });
  expect([typeof (await show(unknown)), typeof (await show(unknown)), await show(unknown)]).toEqual(['object', 'object', refused]);
});

test('a cap of clicks ends the showing when the user has clicked, and not before', async () => {
  const one = of(1, [cap('line_item', 1, 366 * DAY, 'clicks')]);
  const ads = [await show(one), await show(one)];
  await rig.at(NOON + 2_000);
  const [ad] = ads;
  if (typeof ad !== 'object') throw new Error('not shown');
  expect(await rig.settle(ad, 'click')).toMatchObject({ outcome: 'counted' });
  expect([await show(one), typeof (await show(one, 'bob'))]).toEqual([refused, 'object']);
  await rig.at(NOON + 300 * DAY);
  await rig.horizon(NOON + 300 * DAY);
  expect(await show(one)).toBe(refused);
});

test('a user who may not be remembered gets what counts for the caps of others, and nothing that has one', async () => {
  const counted = counting('campaign', HOUR);
  const { imps } = await rig.reserve([[of(1, [cap('campaign', 3, HOUR)], counted)], [of(2, [], counted)]], null);
  expect(imps.map(({ winner, refused: why }) => [winner, ...why])).toEqual([[-1, NoBidReason.Consent], [0]]);
});

test('ads on their way hold places in every counter until their tokens end', async () => {
  const counted = counting('campaign', DAY);
  const [one, two] = [of(1, [cap('campaign', 2, DAY)], counted), of(2, [cap('campaign', 2, DAY), ...perUser(1, HOUR)], counted)];
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => rig.reserve([[i % 2 === 0 ? one : two]], 'ann')));
  expect(answers.filter(({ imps }) => imps[0]!.winner === 0)).toHaveLength(2);
  await rig.at(NOON + 31 * MINUTE);
  await rig.horizon(NOON + 31 * MINUTE);
  expect(typeof (await show(one))).toBe('object');
});

test('in any order of selections and impressions no cap is exceeded, and each is used up', async () => {
  const scopes = ['line_item', 'campaign', 'advertiser'] as const;
  const caps = fc.uniqueArray(
    fc.record({
      scope: fc.constantFrom(...scopes),
      of: fc.constant('impressions' as const),
      max: fc.integer({ min: 1, max: 4 }),
      windowMs: fc.constantFrom(MINUTE, HOUR, DAY),
    }),
    { maxLength: 3, selector: ({ scope, windowMs }) => `${scope} ${windowMs}` },
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(caps, { minLength: 2, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(2), fc.nat(40), fc.boolean()), { minLength: 1, maxLength: 25 }),
      async (all, steps) => {
        run++;
        const counted = (['campaign', 'advertiser'] as const).map((scope) => ({ scope, of: 'impressions' as const, windowMs: DAY }));
        const items = all.map((frequencyCaps, i) => of(run * 10 + i, frequencyCaps, { counted, id: run, advertiserId: run }));
        let nowMs = NOON + run * 30 * DAY;
        const seen: { readonly item: number; readonly atMs: number }[] = [];
        for (const [pick, minutes] of steps) {
          nowMs += minutes * minutes * MINUTE;
          await rig.at(nowMs);
          await rig.horizon(nowMs);
          const at = pick % items.length;
          const isShown = typeof (await show(items[at]!, `user ${run}`)) === 'object';
          const isFree = all[at]!.every(
            ({ scope, max, windowMs }) =>
              seen.filter(({ item, atMs }) => (scope !== 'line_item' || item === at) && atMs + windowMs > nowMs).length < max,
          );
          expect(isShown).toBe(isFree);
          if (isShown) seen.push({ item: at, atMs: nowMs });
        }
      },
    ),
    { numRuns: 40, seed: 36 },
  );
});

describe('the daily budget of a campaign', () => {
  const ofCampaign = { dailyBudgetMicros: 10 * 1333 };
  const items = [of(1, [], ofCampaign), of(2, [], ofCampaign)];

  it('bounds what all its line items hold and bill on a day, to the micro', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => rig.reserve([[items[i % 2]!]])));
    const won = answers.flatMap((answer, i) => (answer.imps[0]!.winner === 0 ? [servedAd(answer, items[i % 2]!)] : []));
    expect(won).toHaveLength(10);
    expect(answers.find(({ imps }) => imps[0]!.winner < 0)?.imps[0]?.refused).toEqual([NoBidReason.DailyCap]);
    for (const ad of won) await rig.settle(ad);
    await rig.at(NOON + 12 * HOUR);
    expect(await rig.reserveMany(items[0]!, 30)).toBe(10);
  });

  it('bills of clicks only what it leaves', async () => {
    const perClick = { dailyBudgetMicros: 500_000 };
    const one = candidate(lineItem({ budgetType: 'CPC', cpmMicros: null, cpcMicros: 400_000 }), { campaign: campaign(perClick) });
    const ads = await Promise.all([1, 2].map(async () => servedAd(await rig.reserve([[one]]), one)));
    const billed: number[] = [];
    for (const ad of ads) {
      await rig.settle(ad, 'impression', { item: one.lineItem, campaign: one.campaign });
      await rig.at(NOON + 1_000 * (billed.length + 1));
      billed.push((await rig.settle(ad, 'click', { item: one.lineItem, campaign: one.campaign })).billedMicros);
    }
    expect(billed).toEqual([400_000, 100_000]);
  });

  it('is spread over the day by line items with even pacing', async () => {
    const even = candidate(lineItem({ pacing: 'Even' }), { campaign: campaign({ dailyBudgetMicros: 2_400 * 1333 }) });
    let ads = 0;
    for (let minute = 0; minute < 120; minute++) {
      await rig.at(NOON + minute * MINUTE);
      ads += await rig.reserveMany(even, 40);
    }
    // From noon on 200 an hour.
    expect(ads).toBeGreaterThan(380);
    expect(ads).toBeLessThan(430);
  });
});
