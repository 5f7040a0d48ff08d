import fc from 'fast-check';
import type { LineItem } from '../../src/catalog/model/entities.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { createLimitReader, type ReadLimits } from '../../src/ledger/read/read-limits.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { campaign, candidate, HOUR, lineItem, NOON, perUser } from '../decision/candidates.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

let rig: LedgerRig;
let readLimits: ReadLimits;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
  readLimits = createLimitReader({ redis: rig.redis, keys: rig.keys, pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, clock: VIRTUAL_CLOCK_KEY });
});
afterEach(() => rig.close());

const ask = async (candidates: Parameters<ReadLimits>[0]['candidates'], userHash: string | null = null, atMs = NOON) =>
  readLimits({ publisherId: 1, userHash, curve: curveAt(atMs), candidates });

test('returns the balances of the accounts as numbers', async () => {
  const item = lineItem({ dailyImpressionCap: 10, budgetMicros: 1_000_000, frequencyCaps: perUser(3, HOUR) });
  const one = candidate(item, { campaign: campaign({ budgetMicros: 2_000_000 }) });
  const reservation = await rig.reserve([[one]], 'u');
  await rig.settle(servedAd(reservation, one, 'u'), 'impression', { item });
  await rig.reserve([[one]], 'u');
  expect(await ask([one], 'u')).toEqual([
    {
      nbr: 0,
      impressionsToday: 1,
      heldToday: 1,
      spendTodayMicros: 1333,
      heldTodayMicros: 1333,
      totalImpressions: 1,
      heldImpressions: 1,
      totalClicks: 0,
      totalSpendMicros: 1333,
      heldMicros: 1333,
      campaignSpendMicros: 1333,
      campaignHeldMicros: 1333,
      campaignSpendTodayMicros: 1333,
      campaignHeldTodayMicros: 1333,
      capAt: 0,
      placesHeld: 2,
      placeFreeAtMs: null,
      rateTokens: null,
      pacing: null,
    },
  ]);
  expect((await ask([one], null))[0]).toMatchObject({ nbr: NoBidReason.Consent, placesHeld: null });
});

test('says when a place under a frequency cap is free again', async () => {
  const item = lineItem({ frequencyCaps: perUser(1, 2000) });
  const one = candidate(item);
  await rig.reserve([[one]], 'u');
  const [held] = await ask([one], 'u');
  // The place is held for the window of 2 s and the margin of 5 s.
  expect(held?.placeFreeAtMs).toBeGreaterThanOrEqual(NOON + 7000);
  expect(held?.placeFreeAtMs).toBeLessThan(NOON + 9000);
  await rig.at(held!.placeFreeAtMs! - 1);
  await rig.horizon(NOON + HOUR);
  expect((await ask([one], 'u'))[0]?.nbr).toBe(NoBidReason.FrequencyCapped);
  await rig.at(held!.placeFreeAtMs!);
  expect((await ask([one], 'u'))[0]).toMatchObject({ nbr: 0, placeFreeAtMs: null });
});

test('counts what is due from where pacing began today', async () => {
  const paced = candidate(lineItem({ pacing: 'Even', dailyImpressionCap: 1000 }));
  expect((await ask([paced]))[0]?.pacing).toEqual({ permits: 1, goal: 1000, due: 0, began: { share: 0.5, impressions: 0 } });
  expect(await rig.reserveMany(paced, 10)).toBe(1);
  expect((await ask([paced]))[0]?.pacing).toMatchObject({ permits: 0, goal: 1000, due: 0 });
  await rig.at(NOON + 3 * HOUR);
  expect((await ask([paced], null, NOON + 3 * HOUR))[0]?.pacing).toMatchObject({ goal: 1000, due: 250 });
});

test('gives the same result as a reservation, and changes nothing', async () => {
  const limit = (most: number) => fc.option(fc.integer({ min: 0, max: most }), { nil: null });
  const items = fc.record({
    dailyImpressionCap: limit(4),
    dailySpendCapMicros: limit(6000),
    budgetMicros: limit(6000),
    frequencyCaps: fc.constantFrom([], ...[1, 2, 3].map((max) => perUser(max, HOUR))),
    rateLimit: fc.option(fc.record({ perSecond: fc.constant(1), burst: fc.integer({ min: 1, max: 3 }) }), { nil: null }),
    pacing: fc.constantFrom<LineItem['pacing']>('ASAP', 'Even', 'PID'),
  });
  let id = 0;
  await fc.assert(
    fc.asyncProperty(items, fc.integer({ min: 0, max: 5 }), limit(8000), async (limits, before, campaignBudget) => {
      id++;
      const one = candidate(lineItem({ id, campaignId: id, ...limits }), { campaign: campaign({ id, budgetMicros: campaignBudget }) });
      await rig.at(NOON + id * HOUR);
      for (let i = 0; i < before; i++) await rig.reserve([[one]], 'u');
      const account = await rig.redis.hget(rig.keys.accounts(1), `l${id}`);
      const [reading] = await ask([one], 'u', NOON + id * HOUR);
      await ask([one], 'u', NOON + id * HOUR);
      expect(await rig.redis.hget(rig.keys.accounts(1), `l${id}`)).toBe(account);
      const { imps } = await rig.reserve([[one]], 'u');
      expect(reading?.nbr).toBe(imps[0]?.refused[0] ?? 0);
    }),
    { numRuns: 60 },
  );
});
