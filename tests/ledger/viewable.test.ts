import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { limitsOf, NO_LIMITS } from '../../src/ledger/limits.ts';
import { CLICK_TIMES } from '../../src/ledger/settle/click-times.ts';
import { createExpireClicks, type ExpiredHits } from '../../src/ledger/settle/expire-clicks.ts';
import type { LineItem } from '../../src/catalog/model/entities.ts';
import { campaign, candidate, DAY, lineItem, MINUTE, NOON } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

/** 8 USD per thousand viewable impressions. */
const PRICE = 8_000;
const perView = (changes: Partial<LineItem> = {}): LineItem => lineItem({ budgetType: 'VCPM', cpmMicros: PRICE * 1_000, ...changes });

let rig: LedgerRig;
let expire: () => Promise<ExpiredHits>;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
  const expireClicks = createExpireClicks({ redis: rig.redis, keys: rig.keys, clock: VIRTUAL_CLOCK_KEY });
  expire = () => expireClicks(1);
});
afterEach(() => rig.close());

const serve = async (item = perView()): Promise<ServedAd> => {
  const one = candidate(item);
  return { ...servedAd(await rig.reserve([[one]]), one), servedAtMs: NOON };
};

const settle = async (ad: ServedAd, named: string, atMs: number, { late = false, limits = NO_LIMITS } = {}) => {
  const [kind, eventType = ''] = named.split(':') as [Hit['kind'], string?];
  const hit: Hit = { ad, kind, eventType, invalidReason: '', atMs, country: null, device: null };
  if (!late) await rig.at(atMs);
  const settled = await rig.ledger.settle(hit, { limits, expiresAtMs: Date.now() + DAY }, { late });
  return [settled?.outcome, settled?.reason, settled?.click, settled?.event];
};
const [NOTHING, COUNTED] = [undefined, 'counted'] as const;

const account = async () => (await rig.accounts.lineItems(1, [1]))[0];
const viewable = () => rig.redis.hget(rig.keys.eventTally(1), `${Math.floor(NOON / DAY)}:1:viewable`);

test('the viewable event bills, once, and neither the impression, a click nor another event does', async () => {
  const ad = await serve();
  expect(ad).toMatchObject({ priceMicros: PRICE, billsOn: 'viewable' });
  expect(await account()).toMatchObject({ heldToday: 1, heldMicros: 0 });
  await settle(ad, 'impression', NOON + 1_000);
  await settle(ad, 'event:like', NOON + 1_500);
  expect(await settle(ad, 'event:viewable', NOON + 2_000)).toEqual([COUNTED, NOTHING, NOTHING, NOTHING]);
  expect(await settle(ad, 'event:viewable', NOON + 3_000)).toEqual(['duplicate', NOTHING, NOTHING, NOTHING]);
  await settle(ad, 'click', NOON + 4_000);
  expect(await rig.events()).toEqual([
    ['impression', '', 0],
    ['event', '', 0],
    ['event', '', PRICE],
    ['click', '', 0],
  ]);
  for (const book of [await account(), (await rig.accounts.campaigns(1, [1]))[0]])
    expect(book).toMatchObject({ today: { impressions: 1, clicks: 1, spendMicros: PRICE }, totalSpendMicros: PRICE, heldMicros: 0 });
  expect(await viewable()).toBe('1');
});

test('a viewable event of another price bills nothing', async () => {
  const ad = await serve(lineItem());
  await settle(ad, 'event:viewable', NOON + 1_000);
  await settle(ad, 'impression', NOON + 2_000);
  expect(await rig.events()).toEqual([
    ['event', '', 0],
    ['impression', '', 1333],
  ]);
});

test('a viewable event that comes before its impression, and a click with it, wait for it', async () => {
  const ad = await serve();
  expect(await settle(ad, 'event:viewable', NOON + 2_000)).toEqual(['waiting', NOTHING, NOTHING, NOTHING]);
  expect(await settle(ad, 'event:viewable', NOON + 2_001)).toEqual(['duplicate', NOTHING, NOTHING, NOTHING]);
  expect(await settle(ad, 'click', NOON + 2_002)).toEqual(['waiting', NOTHING, NOTHING, NOTHING]);
  expect([await rig.events(), await viewable()]).toEqual([[], null]);
  expect(await settle(ad, 'impression', NOON + 2_010)).toEqual([COUNTED, NOTHING, COUNTED, COUNTED]);
  expect(await rig.events()).toEqual([
    ['impression', '', 0],
    ['click', '', 0],
    ['event', '', PRICE],
  ]);
  expect(await account()).toMatchObject({ today: { impressions: 1, clicks: 1, spendMicros: PRICE } });
  expect(await viewable()).toBe('1');
});

test('one that waits is recognized when it is folded as well, also after its token has been forgotten', async () => {
  const ad = await serve();
  await settle(ad, 'event:viewable', NOON + 1_000);
  await rig.redis.del(rig.keys.seen(1, ad.tokenId));
  expect((await settle(ad, 'event:viewable', NOON + 1_000, { late: true }))[0]).toBe('duplicate');
  await rig.redis.del(rig.keys.seen(1, ad.tokenId));
  expect(await settle(ad, 'impression', NOON + 1_500, { late: true })).toEqual([COUNTED, NOTHING, NOTHING, COUNTED]);
  expect((await settle(ad, 'event:viewable', NOON + 1_000, { late: true }))[0]).toBe('duplicate');
  expect(await account()).toMatchObject({ today: { impressions: 1, spendMicros: PRICE } });
});

test('without an impression it bills nothing, and is filtered once that can no longer come', async () => {
  const ad = await serve();
  await settle(ad, 'event:viewable', NOON + 1_000);
  const over = NOON + 1_000 + CLICK_TIMES.windowMs + CLICK_TIMES.marginMs;
  await rig.at(over + MINUTE);
  await rig.horizon(over);
  expect([await expire(), await expire()]).toEqual([
    { clicks: 0, viewable: 1 },
    { clicks: 0, viewable: 0 },
  ]);
  expect(await rig.events()).toEqual([['event', 'no_impression', 0]]);
  expect([await viewable(), (await account())?.totalSpendMicros]).toEqual([null, 0]);
});

test('the last viewable event bills only what is left of the budget, and then the line item stops', async () => {
  const item = perView({ budgetMicros: 2.5 * PRICE });
  const limits = limitsOf(item, campaign());
  const ads = [await serve(item), await serve(item), await serve(item), await serve(item)];
  for (const [i, ad] of ads.entries()) {
    await settle(ad, 'impression', NOON + 1_000 + i, { limits });
    await settle(ad, 'event:viewable', NOON + 5_000 + i, { limits });
  }
  expect((await rig.events()).filter((event) => event[0] === 'event')).toEqual([
    ['event', '', PRICE],
    ['event', '', PRICE],
    ['event', '', PRICE / 2],
    ['event', '', 0],
  ]);
  expect(await rig.reserveMany(candidate(item), 5)).toBe(0);
});
