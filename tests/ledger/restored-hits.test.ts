import type { Campaign, LineItem } from '../../src/catalog/model/entities.ts';
import { readEvent, splitEntry } from '../../src/events/read-event.ts';
import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import { limitsOf, NO_LIMITS, type Limits } from '../../src/ledger/limits.ts';
import { campaign, candidate, DAY, lineItem, MINUTE, NOON, perUser } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

const PRICE = 1333;
const OVER = NOON + 60 * MINUTE;

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

const settle = async (hit: Partial<Hit> & Pick<Hit, 'ad'>, limits: Limits, late = false) => {
  const whole: Hit = { kind: 'impression', eventType: '', invalidReason: '', atMs: NOON, country: null, device: null, ...hit };
  return (await rig.ledger.settle(whole, { limits, expiresAtMs: Date.now() + DAY }, { late }))?.outcome;
};
let runs = 0;
const restore = (ad: ServedAd, limits: Limits, kind: Hit['kind'] = 'impression') =>
  settle({ ad, kind, restored: { reason: 'data_center', atMs: ++runs } }, limits, true);
/** Ads that were served and filtered at noon, and whose holds have ended. */
const filtered = async (count: number, item: LineItem, userHash: string | null = null): Promise<readonly ServedAd[]> => {
  const ads: ServedAd[] = [];
  for (let i = 0; i < count; i++) {
    const one = candidate(item);
    const ad = servedAd(await rig.reserve([[one]], userHash), one, userHash);
    ads.push(ad);
    expect(await settle({ ad, invalidReason: 'data_center' }, NO_LIMITS)).toBe('filtered');
  }
  await rig.at(OVER);
  await rig.horizon(OVER);
  return ads;
};
const account = async () => (await rig.accounts.lineItems(1, [1]))[0];
const lastEvent = async () => {
  const [[, fields] = ['', []]] = await rig.redis.xrevrange(rig.keys.events(1), '+', '-', 'COUNT', 1);
  const { reason, billedMicros, atMs } = readEvent(splitEntry(fields).at(-1)!);
  return { reason, billedMicros, atMs };
};

test('a restored impression is billed once, at its time, without a hold and without another serve', async () => {
  const [ad] = (await filtered(1, lineItem())) as [ServedAd];
  const hit = { ad, restored: { reason: 'data_center', atMs: 7 } } as const;
  expect([await settle(hit, NO_LIMITS, true), await settle(hit, NO_LIMITS, true)]).toEqual(['counted', 'duplicate']);
  expect(await lastEvent()).toEqual({ reason: '', billedMicros: PRICE, atMs: NOON });
  expect(await account()).toMatchObject({ today: { serves: 1, impressions: 1, spendMicros: PRICE }, totalSpendMicros: PRICE });
});

test.each<[string, Partial<LineItem>, Partial<Campaign>]>([
  ['daily impression cap', { dailyImpressionCap: 2 }, {}],
  ['daily spend cap', { dailySpendCapMicros: 2 * PRICE + 1 }, {}],
  ['budget', { budgetMicros: 3 * PRICE - 1 }, {}],
  ['campaign budget', {}, { budgetMicros: 2 * PRICE }],
])('restored impressions never exceed a %s beside what is delivered and held', async (_, ofItem, ofCampaign) => {
  const item = lineItem(ofItem);
  const limits = limitsOf(item, campaign(ofCampaign));
  const ads = await filtered(2, item);
  // One is held.
  const one = candidate(item, { campaign: campaign(ofCampaign) });
  const held = servedAd(await rig.reserve([[one]]), one);
  expect([await restore(ads[0]!, limits), await restore(ads[1]!, limits)]).toEqual(['counted', 'kept']);
  expect(await lastEvent()).toEqual({ reason: 'data_center', billedMicros: 0, atMs: NOON });
  expect(await settle({ ad: held }, limits)).toBe('counted');
  expect((await account())?.today).toMatchObject({ impressions: 2, spendMicros: 2 * PRICE });
  // Without the caps there is room, also after it has been kept.
  expect(await restore(ads[1]!, NO_LIMITS)).toBe('counted');
});

test('an impression of yesterday is restored beside the holds of yesterday that are still open', async () => {
  const item = lineItem({ dailyImpressionCap: 2 });
  const limits = limitsOf(item, campaign());
  const midnight = NOON + 12 * 60 * MINUTE;
  const ads = await filtered(2, item);
  await rig.at(midnight - MINUTE);
  const one = candidate(item);
  const open = servedAd(await rig.reserve([[one]]), one);
  await rig.at(midnight + MINUTE);
  expect([await restore(ads[0]!, limits), await restore(ads[1]!, limits)]).toEqual(['counted', 'kept']);
  expect(await settle({ ad: open }, limits)).toBe('counted');
  expect((await account())?.yesterday).toMatchObject({ impressions: 2 });
});

test('a frequency cap has room as long as its window lasts', async () => {
  const item = lineItem({ frequencyCaps: perUser(1, 120 * MINUTE) });
  const limits = limitsOf(item, campaign());
  const [first, second] = (await filtered(1, item, 'ann')).concat(await filtered(1, item, 'ann')) as [ServedAd, ServedAd];
  // The place that the second one held is the only one: it is confirmed, to the end of the window.
  expect([await restore(first, limits), await restore(second, limits)]).toEqual(['kept', 'counted']);
  expect((await rig.reserve([[candidate(item)]], 'ann')).imps[0]?.winner).toBe(-1);
  await rig.at(NOON + 121 * MINUTE);
  expect(await restore(first, limits)).toBe('counted');
});

test('a restored click bills what its budget has left', async () => {
  const item = lineItem({ budgetType: 'CPC', cpmMicros: null, cpcMicros: 400_000, budgetMicros: 500_000 });
  const limits = limitsOf(item, campaign());
  const ads = await filtered(2, item);
  for (const ad of ads) expect(await restore(ad, limits)).toBe('counted');
  for (const ad of ads)
    expect(await settle({ ad, kind: 'click', atMs: NOON + 5_000, restored: { reason: 'spider', atMs: 9 } }, limits, true)).toBe('counted');
  expect(await account()).toMatchObject({ today: { clicks: 2, spendMicros: 500_000 } });
});
