import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { CLICK_TIMES } from '../../src/ledger/settle/click-times.ts';
import { createExpireClicks } from '../../src/ledger/settle/expire-clicks.ts';
import { judgeFollowing } from '../../src/tracking/invalid-traffic/rules.ts';
import { candidate, DAY, lineItem, MINUTE, NOON } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

const CPC = 400_000;
const item = lineItem({ budgetType: 'CPC', cpmMicros: null, cpcMicros: CPC });
const one = candidate(item);

let rig: LedgerRig;
let expire: () => Promise<number>;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
  const expireClicks = createExpireClicks({ redis: rig.redis, keys: rig.keys, clock: VIRTUAL_CLOCK_KEY });
  expire = async () => (await expireClicks(1)).clicks;
});
afterEach(() => rig.close());

const serve = async (): Promise<ServedAd> => ({ ...servedAd(await rig.reserve([[one]]), one), servedAtMs: NOON });
const settle = async (
  ad: ServedAd,
  kind: 'impression' | 'click',
  atMs: number,
  { late = false, impressionAtMs = 0, limits = NO_LIMITS } = {},
) => {
  const hit: Hit = { ad, kind, eventType: '', invalidReason: '', atMs, country: null, device: null };
  if (!late) await rig.at(atMs);
  const settled = await rig.ledger.settle(hit, { limits, expiresAtMs: Date.now() + DAY }, { late, impressionAtMs });
  return [settled?.outcome, settled?.reason, settled?.click];
};
const account = async () => (await rig.accounts.lineItems(1, [1]))[0];
const clicked = { today: { impressions: 1, clicks: 1, spendMicros: CPC } };

test('a click that comes before its impression is billed once, when the impression comes', async () => {
  const ad = await serve();
  expect(await settle(ad, 'click', NOON + 2_000)).toEqual(['waiting', undefined, undefined]);
  expect(await settle(ad, 'click', NOON + 2_001)).toEqual(['duplicate', undefined, undefined]);
  expect([await rig.events(), (await account())?.today]).toMatchObject([[], { clicks: 0, spendMicros: 0 }]);
  expect(await settle(ad, 'impression', NOON + 2_010)).toEqual(['counted', undefined, 'counted']);
  expect(await settle(ad, 'click', NOON + 3_000)).toEqual(['duplicate', undefined, undefined]);
  expect(await settle(ad, 'impression', NOON + 3_000)).toEqual(['duplicate', undefined, undefined]);
  expect(await rig.events()).toEqual([
    ['impression', '', 0],
    ['click', '', CPC],
  ]);
  expect(await account()).toMatchObject(clicked);
  await rig.horizon(NOON + 10 * MINUTE);
  await rig.at(NOON + 10 * MINUTE);
  expect(await expire()).toBe(0);
});

test('a click without an impression is filtered once it can no longer come: neither to Redis nor from Postgres', async () => {
  const ad = await serve();
  await settle(ad, 'click', NOON + 1_000);
  const over = NOON + 1_000 + CLICK_TIMES.windowMs + CLICK_TIMES.marginMs;
  await rig.at(over + MINUTE);
  await rig.horizon(over - 1);
  expect(await expire()).toBe(0);
  await rig.horizon(over);
  expect([await expire(), await expire()]).toEqual([1, 0]);
  expect(await settle(ad, 'impression', over + 2 * MINUTE)).toEqual(['counted', undefined, undefined]);
  expect(await settle(ad, 'click', over + 3 * MINUTE)).toEqual(['duplicate', undefined, undefined]);
  expect(await rig.events()).toEqual([
    ['click', 'no_impression', 0],
    ['impression', '', 0],
  ]);
  expect((await account())?.today).toMatchObject({ impressions: 1, clicks: 0, spendMicros: 0 });
});

test('a click waits for an impression that is folded later, which counts by the time at which it was accepted', async () => {
  const [intime, toolate] = [await serve(), await serve()];
  for (const ad of [intime, toolate]) await settle(ad, 'click', NOON + 1_000);
  await rig.at(NOON + 60 * MINUTE);
  expect(await expire()).toBe(0);
  // What was seen of the token has been forgotten.
  await rig.redis.del(rig.keys.seen(1, intime.tokenId));
  expect(await settle(intime, 'impression', NOON + 61_000, { late: true })).toEqual(['counted', undefined, 'counted']);
  expect(await settle(toolate, 'impression', NOON + 61_001, { late: true })).toEqual(['counted', undefined, 'no_impression']);
  expect((await account())?.today).toMatchObject({ impressions: 2, clicks: 1, spendMicros: CPC });
});

test('a click that waits is recognized when it is folded as well, also after its token has been forgotten', async () => {
  const ad = await serve();
  await settle(ad, 'click', NOON + 1_000);
  await rig.redis.del(rig.keys.seen(1, ad.tokenId));
  expect(await settle(ad, 'click', NOON + 1_000, { late: true })).toEqual(['duplicate', undefined, undefined]);
});

test('a click that waited is not counted again when it is folded after its impression, also after its token has been forgotten', async () => {
  const ad = await serve();
  await settle(ad, 'click', NOON + 1_000);
  await rig.at(NOON + 60 * MINUTE);
  await rig.redis.del(rig.keys.seen(1, ad.tokenId));
  expect(await settle(ad, 'impression', NOON + 1_500, { late: true })).toEqual(['counted', undefined, 'counted']);
  expect(await settle(ad, 'click', NOON + 1_000, { late: true })).toEqual(['duplicate', undefined, undefined]);
  expect(await account()).toMatchObject(clicked);
});

test('a click that is folded counts when the event row of its impression says when that came', async () => {
  const ad = await serve();
  expect(await settle(ad, 'click', NOON + 9_000, { late: true, impressionAtMs: NOON + 1_000 })).toEqual(['counted', undefined, undefined]);
});

test.each<[number | undefined, number, string]>([
  [0, 99, 'fast_click'],
  [0, -3, 'fast_click'],
  [50, 100, 'fast_click'],
  [1_000, 1_000, 'fast_click'],
  [1_000, 1_099, 'fast_click'],
  [1_000, 1_100, ''],
  [undefined, 100, ''],
])('served at 0, seen at %s, clicked at %s ms: the ledger judges as the rules do: %j', async (seen, clickedAt, due) => {
  const ad = await serve();
  if (seen !== undefined) await settle(ad, 'impression', NOON + seen);
  // The publisher's clock does not step back: an earlier click was folded.
  await settle(ad, 'click', NOON + clickedAt, { late: clickedAt <= (seen ?? 0) });
  if (seen === undefined) await settle(ad, 'impression', NOON + 200);
  expect(judgeFollowing({ kind: 'click', atMs: NOON + clickedAt, servedAtMs: NOON, impressionAtMs: NOON + (seen ?? 200) })).toBe(due);
  expect(await rig.events()).toContainEqual(['click', due, due === '' ? CPC : 0]);
});

test('a click whose impression is folded after two midnights bills nothing of a daily cap that its account no longer knows', async () => {
  const limits = { ...NO_LIMITS, dailySpendMicros: 1.7 * CPC };
  const [first, second] = [await serve(), await serve()];
  await settle(first, 'impression', NOON + 1_000, { limits });
  await settle(first, 'click', NOON + 2_000, { limits });
  expect(await settle(second, 'click', NOON + 3_000, { limits })).toEqual(['waiting', undefined, undefined]);
  await rig.at(NOON + 2 * DAY);
  await rig.reserve([[one]]);
  expect(await settle(second, 'impression', NOON + 4_000, { late: true, limits })).toEqual(['counted', undefined, 'counted']);
  expect(await rig.events()).toEqual([
    ['impression', '', 0],
    ['click', '', CPC],
    ['impression', '', 0],
    ['click', '', 0],
  ]);
});
