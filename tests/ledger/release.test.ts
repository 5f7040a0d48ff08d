import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import type { LineItem } from '../../src/catalog/model/entities.ts';
import { campaign, candidate, DAY, lineItem, MINUTE, NOON, perUser } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

/** 8 USD per thousand impressions, one place. */
const PRICE = 8_000;
const single = (changes: Partial<LineItem> = {}): LineItem => lineItem({ cpmMicros: PRICE * 1_000, dailyImpressionCap: 1, ...changes });

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

const serve = async (item: LineItem, user: string | null = null): Promise<ServedAd | undefined> => {
  const one = candidate(item);
  const reservation = await rig.reserve([[one]], user);
  return reservation.imps[0]?.moments ? { ...servedAd(reservation, one, user), servedAtMs: NOON } : undefined;
};
const settle = async (ad: ServedAd, named: string, atMs: number, late = false) => {
  const [kind, eventType = ''] = named.split(':') as [Hit['kind'], string?];
  const hit: Hit = { ad, kind, eventType, invalidReason: '', atMs, country: null, device: null };
  if (!late) await rig.at(atMs);
  return (await rig.ledger.settle(hit, { limits: NO_LIMITS, expiresAtMs: Date.now() + DAY }, { late }))?.outcome;
};
const account = async () => (await rig.accounts.lineItems(1, [1]))[0];

test('an ad that is not used gives its place and its money back, once, and its impression no longer counts', async () => {
  const ad = await serve(single());
  expect(await account()).toMatchObject({ heldToday: 1, heldMicros: PRICE });
  expect(await serve(single())).toBeUndefined();
  expect(await settle(ad!, 'event:notUsed', NOON + 1_000)).toBe('counted');
  expect(await account()).toMatchObject({ heldToday: 0, heldMicros: 0, today: { impressions: 0, spendMicros: 0 } });
  const next = await serve(single());
  expect(next).toBeDefined();
  expect(await settle(ad!, 'event:notUsed', NOON + 2_000)).toBe('duplicate');
  expect(await settle(ad!, 'impression', NOON + 2_000)).toBe('duplicate');
  expect(await account()).toMatchObject({ heldToday: 1, heldMicros: PRICE });
  expect(await settle(next!, 'impression', NOON + 3_000)).toBe('counted');
  for (const book of [await account(), (await rig.accounts.campaigns(1, [1]))[0]])
    expect(book).toMatchObject({ heldMicros: 0, today: { impressions: 1, spendMicros: PRICE } });
});

test('an ad that was shown has nothing to give back', async () => {
  const ad = await serve(single());
  await settle(ad!, 'impression', NOON + 1_000);
  expect(await settle(ad!, 'event:notUsed', NOON + 2_000)).toBe('counted');
  expect(await account()).toMatchObject({ heldToday: 0, today: { impressions: 1, spendMicros: PRICE } });
  expect(await serve(single())).toBeUndefined();
});

test('pacing gives the permit of an ad that is not used to the next request', async () => {
  const paced = single({ dailyImpressionCap: 48, pacing: 'Even' });
  // The first of the day is allowed immediately, the next after half an hour.
  const ad = await serve(paced);
  expect(await serve(paced)).toBeUndefined();
  await settle(ad!, 'event:notUsed', NOON + 1_000);
  expect([await serve(paced), await serve(paced)]).toEqual([expect.anything(), undefined]);
});

test('a paced campaign gives back what an ad that is not used would have cost', async () => {
  const shared = campaign({ dailyBudgetMicros: 48 * PRICE });
  const paced = single({ dailyImpressionCap: null, pacing: 'Even' });
  const ask = async () => {
    const one = candidate(paced, { campaign: shared });
    const reservation = await rig.reserve([[one]]);
    return reservation.imps[0]?.moments ? { ...servedAd(reservation, one), servedAtMs: NOON } : undefined;
  };
  const served: ServedAd[] = [];
  for (let ad = await ask(); ad; ad = await ask()) served.push(ad);
  expect(served.length).toBeGreaterThan(0);
  await settle(served[0]!, 'event:notUsed', NOON + 1_000);
  expect([await ask(), await ask()]).toEqual([expect.anything(), undefined]);
});

test('a place of the user is free again', async () => {
  const capped = lineItem({ frequencyCaps: perUser(1, 10 * MINUTE) });
  const ad = await serve(capped, 'u'.repeat(16));
  expect(await serve(capped, 'u'.repeat(16))).toBeUndefined();
  await settle(ad!, 'event:notUsed', NOON + 1_000);
  expect(await serve(capped, 'u'.repeat(16))).toBeDefined();
});

test('a hold that has ended by itself is not given back again', async () => {
  const ad = await serve(single({ dailyImpressionCap: 2 }));
  await rig.horizon(ad!.holdEndMs + 10_000);
  await rig.at(ad!.holdEndMs + 10_000);
  await serve(single({ dailyImpressionCap: 2 }));
  const before = await account();
  expect(await settle(ad!, 'event:notUsed', ad!.holdEndMs - 1_000, true)).toBe('counted');
  expect(await account()).toEqual(before);
});
