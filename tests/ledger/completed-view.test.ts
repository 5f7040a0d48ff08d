import fc from 'fast-check';
import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import { limitsOf } from '../../src/ledger/limits.ts';
import type { LineItem } from '../../src/catalog/model/entities.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { campaign, candidate, DAY, HOUR, lineItem, MINUTE, NOON } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

/** 2 cents for a completed view. */
const PRICE = 20_000;
const MIDNIGHT = NOON + 12 * HOUR;
const perView = (changes: Partial<LineItem> = {}): LineItem =>
  lineItem({ budgetType: 'CPCV', cpmMicros: null, cpcvMicros: PRICE, ...changes });

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

const serve = async (item = perView(), one: RankedCandidate = candidate(item)): Promise<ServedAd | undefined> => {
  const reservation = await rig.reserve([[one]]);
  return reservation.imps[0]?.moments ? { ...servedAd(reservation, one), servedAtMs: NOON } : undefined;
};
const served = async (item?: LineItem): Promise<ServedAd> => (await serve(item))!;

const settle = async (ad: ServedAd, named: string, atMs: number, { late = false, item = perView() } = {}) => {
  const [kind, eventType = ''] = named.split(':') as [Hit['kind'], string?];
  const hit: Hit = { ad, kind, eventType, invalidReason: '', atMs, country: null, device: null };
  if (!late) await rig.at(atMs);
  const settled = await rig.ledger.settle(hit, { limits: limitsOf(item, campaign()), expiresAtMs: Date.now() + DAY }, { late });
  return [settled?.outcome, settled?.event];
};
const account = async () => (await rig.accounts.lineItems(1, [1]))[0]!;
const both = async () => [await account(), (await rig.accounts.campaigns(1, [1]))[0]!];
const billed = async (): Promise<readonly number[]> => (await rig.events()).map(([, , micros]) => micros);

test('the price is held from the serve to the end of the video, and billed then, once', async () => {
  const ad = await served();
  expect(ad).toMatchObject({ priceMicros: PRICE, billsOn: 'complete' });
  for (const book of await both()) expect(book).toMatchObject({ heldToday: 1, heldMicros: PRICE });
  for (const hit of ['impression', 'event:start', 'event:thirdQuartile', 'event:viewable']) await settle(ad, hit, NOON + 2_000);
  await settle(ad, 'click', NOON + 8_000);
  for (const book of await both())
    expect(book).toMatchObject({ heldToday: 0, heldMicros: PRICE, today: { impressions: 1, spendMicros: 0 }, broken: 0 });
  expect(await settle(ad, 'event:complete', NOON + 30_000)).toEqual(['counted', undefined]);
  expect(await settle(ad, 'event:complete', NOON + 31_000)).toEqual(['duplicate', undefined]);
  for (const book of await both())
    expect(book).toMatchObject({
      heldMicros: 0,
      today: { impressions: 1, clicks: 1, spendMicros: PRICE },
      totalSpendMicros: PRICE,
      broken: 0,
    });
  expect(await billed()).toEqual([0, 0, 0, 0, 0, PRICE]);
});

test('a complete view of another price bills nothing', async () => {
  const ad = await served(lineItem());
  await settle(ad, 'impression', NOON + 1_000);
  await settle(ad, 'event:complete', NOON + 2_000);
  expect(await billed()).toEqual([1333, 0]);
});

test('one that comes before its impression waits for it, also when it is folded later', async () => {
  const [ad, late] = [await served(), await served()];
  expect(await settle(ad, 'event:complete', NOON + 1_000)).toEqual(['waiting', undefined]);
  expect(await settle(ad, 'event:complete', NOON + 1_001)).toEqual(['duplicate', undefined]);
  expect((await account()).totalSpendMicros).toBe(0);
  expect(await settle(ad, 'impression', NOON + 1_500)).toEqual(['counted', 'counted']);
  expect(await account()).toMatchObject({ totalSpendMicros: PRICE, heldMicros: PRICE });
  await settle(late, 'event:complete', NOON + 1_600);
  await rig.redis.del(rig.keys.seen(1, late.tokenId));
  expect(await settle(late, 'impression', NOON + 1_700, { late: true })).toEqual(['counted', 'counted']);
  expect(await settle(late, 'event:complete', NOON + 1_600, { late: true })).toEqual(['duplicate', undefined]);
  expect(await account()).toMatchObject({ totalSpendMicros: 2 * PRICE, heldMicros: 0, broken: 0 });
});

test('a budget of two views is never promised to a third, until one of them was not completed', async () => {
  const item = perView({ budgetMicros: 2 * PRICE });
  const [first, second] = [await served(item), await served(item)];
  expect(await serve(item)).toBeUndefined();
  for (const ad of [first, second]) await settle(ad, 'impression', NOON + 1_000, { item });
  expect(await serve(item)).toBeUndefined();
  await settle(first, 'event:complete', NOON + 20_000, { item });
  expect(await serve(item)).toBeUndefined();
  await rig.at(NOON + HOUR);
  await rig.horizon(NOON + HOUR);
  const third = await serve(item);
  expect(third).toBeDefined();
  await settle(third!, 'impression', NOON + HOUR + 1_000, { item });
  await settle(third!, 'event:complete', NOON + HOUR + 2_000, { item });
  expect(await account()).toMatchObject({ totalSpendMicros: 2 * PRICE, heldMicros: 0, broken: 0 });
});

test('one whose hold has ended bills what is left', async () => {
  const item = perView({ budgetMicros: 2.5 * PRICE });
  const one = candidate(item);
  const auction = await rig.ledger.reserve({
    ...{ publisherId: 1, userHash: null, expiresAtMs: Date.now() + DAY, maxHoldMs: MINUTE, imps: [[one]] },
    curve: { hourStartMs: 0, shareBefore: 0, shareOfHour: 0 },
  });
  const ad = { ...servedAd(auction!, one), servedAtMs: NOON };
  await settle(ad, 'impression', NOON + 50_000, { item });
  await rig.at(NOON + 5 * MINUTE);
  await rig.horizon(NOON + 5 * MINUTE);
  expect([await serve(item), await serve(item)].every(Boolean)).toBe(true);
  expect(await settle(ad, 'event:complete', NOON + 5 * MINUTE, { item })).toEqual(['counted', undefined]);
  expect(await account()).toMatchObject({ totalSpendMicros: PRICE / 2, heldMicros: 2 * PRICE, broken: 0 });
});

test('one whose line item has a broken account takes its price out of the hold of the campaign', async () => {
  const ad = await served();
  await settle(ad, 'impression', NOON + 2_000);
  await rig.redis.hset(rig.keys.accounts(1), 'l1', 'no account');
  expect(await settle(ad, 'event:complete', NOON + 30_000)).toEqual(['counted', undefined]);
  const [item, whole] = await both();
  expect(item!.broken).not.toBe(0);
  expect(whole).toMatchObject({ heldMicros: 0, totalSpendMicros: PRICE, broken: 0 });
});

test('an ad that is not used gives its price back', async () => {
  const item = perView({ budgetMicros: PRICE });
  const ad = await served(item);
  expect(await serve(item)).toBeUndefined();
  await settle(ad, 'event:notUsed', NOON + 500, { item });
  expect(await account()).toMatchObject({ heldToday: 0, heldMicros: 0, broken: 0 });
  expect(await serve(item)).toBeDefined();
});

test('whatever is watched to its end, left or late: never above the budget, and nothing stays held', async () => {
  const step = fc.record({
    clockMs: fc.constantFrom(0, 10, 5_000, 61_000, 11 * MINUTE),
    isVideo: fc.boolean(),
    hits: fc.array(fc.constantFrom('impression', 'event:complete', 'event:notUsed'), { maxLength: 4 }),
    which: fc.nat(),
    serves: fc.nat({ max: 3 }),
  });
  let id = 10;
  const sumOfBills = async () => (await billed()).reduce((sum, micros) => sum + micros, 0);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      id += 2;
      let now = MIDNIGHT - 20 * MINUTE + id * DAY;
      await rig.at(now);
      await rig.horizon(now);
      // A banner shares the campaign's budget, and so its holds.
      const of = campaign({ id, budgetMicros: 7 * PRICE });
      const [video, banner] = [
        perView({ id, campaignId: id, budgetMicros: 5 * PRICE }),
        lineItem({ id: id + 1, campaignId: id, cpmMicros: 9_000_000 }),
      ];
      const open: ServedAd[] = [];
      const before = await sumOfBills();
      let spent = 0;
      for (const { clockMs, isVideo, hits, which, serves } of steps) {
        await rig.at((now += clockMs));
        await rig.horizon(now);
        const one = candidate(isVideo ? video : banner, { campaign: of });
        for (let i = 0; i < serves; i++) {
          const reservation = await rig.reserve([[one]]);
          if (reservation.imps[0]?.moments) open.push({ ...servedAd(reservation, one), servedAtMs: now });
        }
        const ad = open[which % Math.max(open.length, 1)];
        for (const named of ad ? hits : []) {
          const [kind, eventType = ''] = named.split(':') as [Hit['kind'], string?];
          const item = ad!.lineItemId === id ? video : banner;
          const hit: Hit = { ad: ad!, kind, eventType, invalidReason: '', atMs: now, country: null, device: null };
          await rig.ledger.settle(hit, { limits: limitsOf(item, of), expiresAtMs: Date.now() + DAY });
        }
        const [a, c] = [(await rig.accounts.lineItems(1, [id]))[0], (await rig.accounts.campaigns(1, [id]))[0]];
        if (!c) continue;
        expect([a?.broken ?? 0, c.broken]).toEqual([0, 0]);
        if (a) expect(a.totalSpendMicros + a.heldMicros).toBeLessThanOrEqual(5 * PRICE);
        expect(c.totalSpendMicros + c.heldMicros).toBeLessThanOrEqual(7 * PRICE);
        expect(c.totalSpendMicros).toBeGreaterThanOrEqual(spent);
        spent = c.totalSpendMicros;
      }
      await rig.at(now + 6 * HOUR);
      await rig.horizon(now + 6 * HOUR);
      for (const book of [...(await rig.accounts.lineItems(1, [id])), ...(await rig.accounts.campaigns(1, [id]))])
        if (book) expect(book).toMatchObject({ broken: 0, heldMicros: 0, heldToday: 0, heldTodayMicros: 0 });
      expect((await sumOfBills()) - before).toBe(spent);
    }),
    { numRuns: 10, seed: 5 },
  );
});
