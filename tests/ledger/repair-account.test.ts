import { createAccountRepairer, type RepairAccount } from '../../src/ledger/read/repair-account.ts';
import { createSetAsideReader } from '../../src/ledger/read/set-aside-accounts.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { candidate, DAY, HOUR, lineItem, MINUTE, NOON } from '../decision/candidates.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

let rig: LedgerRig;
let repair: RepairAccount;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
  repair = createAccountRepairer({ redis: rig.redis, keys: rig.keys, expiresAtMs: Date.now() + DAY, clock: VIRTUAL_CLOCK_KEY });
});
afterEach(() => rig.close());

const TODAY = Math.floor(NOON / DAY);
const STORED = {
  ...{ serves: 2, impressions: 1, clicks: 0, spendMicros: 1333 },
  ...{ yesterdayServes: 0, yesterdayImpressions: 0, yesterdayClicks: 0, yesterdaySpendMicros: 0 },
  ...{ totalImpressions: 1, totalSpendMicros: 1333, totalClicks: 0 },
};

/** Reserves two impressions, settles one, and damages the sum of what is held. */
const damage = async (): Promise<void> => {
  const one = candidate(lineItem({ dailyImpressionCap: 3 }));
  const ad = servedAd(await rig.reserve([[one]]), one);
  await rig.reserve([[one]]);
  await rig.settle(ad);
  const packed = (await rig.redis.hgetBuffer(rig.keys.accounts(1), 'l1'))!;
  packed.writeDoubleLE(-7, 12 * 8);
  await rig.redis.hset(rig.keys.accounts(1), 'l1', packed);
  await rig.reserve([[one]]);
};

test('an account that is set aside is listed with its reason, and repaired from stored counts when its reservations have ended', async () => {
  await damage();
  const setAside = createSetAsideReader({ redis: rig.redis, keys: rig.keys });
  const [account] = await setAside.list();
  expect(account).toMatchObject({ publisherId: 1, kind: 'l', id: 1, why: 'a held sum is negative', sinceMs: NOON });
  expect(account!.safeAtMs).toBeGreaterThan(NOON + 30 * MINUTE);
  expect(account!.safeAtMs).toBeLessThan(NOON + 33 * MINUTE);

  expect(await repair(account!, TODAY, STORED)).toBe('too early');
  await rig.at(NOON + HOUR);
  expect(await repair(account!, TODAY, STORED)).toBe('too early');
  await rig.horizon(NOON + HOUR);
  expect(await repair(account!, TODAY, STORED)).toBe('repaired');

  expect(await setAside.count()).toBe(0);
  const one = candidate(lineItem({ dailyImpressionCap: 3 }));
  expect(await rig.reserveMany(one, 5)).toBe(2);
  expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({
    broken: 0,
    today: { impressions: 1, spendMicros: 1333 },
    heldToday: 2,
  });
});

test('an account that is whole is not touched', async () => {
  const one = candidate(lineItem({ dailyImpressionCap: 3 }));
  await rig.reserve([[one]]);
  await rig.at(NOON + HOUR);
  await rig.horizon(NOON + HOUR);
  const whole = { publisherId: 1, kind: 'l' as const, id: 1, why: '', sinceMs: 0, safeAtMs: 0 };
  expect(await repair(whole, TODAY, { ...STORED, impressions: 3 })).toBe('not set aside');
  expect((await rig.reserve([[one]])).imps[0]).not.toMatchObject({ refused: [NoBidReason.AccountSetAside] });
});
