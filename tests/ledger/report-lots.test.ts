import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { returnReservation, type LotReport } from '../../src/ledger/allowances/report-lots.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';
import { eventually } from '../../testkit/until.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { candidate, DAY, lineItem, MINUTE, NOON } from '../decision/candidates.ts';
import { createLedgerRig, type LedgerRig } from './ledger-rig.ts';
import { LINK_UP } from '../../testkit/link-up.ts';

let rig: LedgerRig;
let redis: RedisClient;
let impatient: Ledger;
beforeEach(async () => {
  const url = await testRedisUrl();
  rig = await createLedgerRig(url);
  redis = await patientRedis(url);
  impatient = createLedger({
    redis,
    link: LINK_UP,
    keys: rig.keys,
    tokenTtlMs: 30 * MINUTE,
    pid: { kp: 0, ki: 0, kd: 0 },
    clock: VIRTUAL_CLOCK_KEY,
    patienceMs: 50,
  });
});
afterEach(() => {
  redis.disconnect();
  rig.close();
});

const one = candidate(lineItem({ dailyImpressionCap: 100 }));

/** Reserves so many ads, and returns the reports that return them. */
const reserved = async (ads: number): Promise<readonly LotReport[]> => {
  const request = { publisherId: 1, userHash: null, curve: curveAt(NOON), expiresAtMs: Date.now() + DAY, imps: [[one]] };
  const reports = [];
  for (let ad = 0; ad < ads; ad++) reports.push(...returnReservation(request, (await rig.ledger.reserve(request))!));
  return reports.filter(({ returned }) => returned > 0);
};

const held = async () => (await rig.accounts.lineItems(1, [1]))[0]?.heldToday;

/** Redis runs no script until `resume`, and then what was sent. */
const pause = async (): Promise<() => Promise<void>> => {
  await rig.redis.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  return async () => void (await rig.redis.call('CLIENT', 'UNPAUSE'));
};

describe('a report of lots', () => {
  it('says what was taken back, and what was held no longer', async () => {
    const [first, ...others] = await reserved(5);
    expect(await impatient.reportLots([first!])).toEqual({ returned: 1, stranded: 0, closed: [] });
    const gone = { ...first!, holdEndMs: first!.holdEndMs + MINUTE };
    expect(await impatient.reportLots([gone, ...others])).toEqual({ returned: 4, stranded: 1, closed: [] });
    expect(await held()).toBe(0);
  });

  it('that Redis carries out and does not answer in time is carried out once', async () => {
    await reserved(10);
    const reports = await reserved(6);
    await impatient.reportLots(reports.slice(0, 1));
    const resume = await pause();
    expect(await impatient.reportLots(reports.slice(1, 4))).toEqual({ returned: 0, stranded: 0, closed: [] });
    expect(await impatient.reportLots(reports.slice(4))).toEqual({ returned: 0, stranded: 0, closed: [] });
    expect(impatient.unansweredReports()).toEqual(reports.slice(1));
    await resume();
    await eventually(async () => expect(await held()).toBe(12));
    expect(await impatient.reportLots([])).toEqual({ returned: 5, stranded: 0, closed: [] });
    expect(impatient.unansweredReports()).toEqual([]);
    expect(await held()).toBe(10);
  });

  it('that never reached Redis is carried out when it is back', async () => {
    const reports = await reserved(3);
    const ended = new Promise((resolve) => redis.once('end', resolve));
    redis.disconnect();
    await ended;
    expect(await impatient.reportLots(reports)).toEqual({ returned: 0, stranded: 0, closed: [] });
    expect(await held()).toBe(3);
    await redis.connect();
    await eventually(async () => {
      await impatient.reportLots([]);
      expect(await held()).toBe(0);
    });
  });

  it('that Redis cannot carry out is not sent again', async () => {
    const reports = await reserved(3);
    const key = rig.keys.accounts(1);
    await rig.redis.rename(key, `${key}:away`);
    await rig.redis.set(key, 'not a hash');
    expect(await impatient.reportLots(reports)).toEqual({ returned: 0, stranded: 3, closed: [] });
    expect(impatient.unansweredReports()).toEqual([]);
  });
});
