import { Redis } from 'ioredis';
import { createBillingNotices, type BillingNotices } from '../../src/ledger/billing-notices.ts';
import type { Hit, Settled } from '../../src/ledger/hit.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { createNotifyBilled } from '../../src/tracking/notify-billed.ts';
import { createRecordHit } from '../../src/tracking/record-hit.ts';
import { eventually } from '../../testkit/until.ts';
import { eventOf } from '../events/events.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const keys = createLedgerKeys(2);
const EXP_S = 1_781_524_800;
const fail = (): never => {
  throw new Error('not expected');
};

let redis: Redis;
let notices: BillingNotices;
beforeAll(async () => {
  redis = new Redis(await testRedisUrl());
});
beforeEach(async () => {
  await redis.flushdb();
  notices = createBillingNotices({ redis, keys, onFailure: fail });
});
afterAll(() => redis.disconnect());

const { ad } = eventOf({ billingNotice: true, tokenExpS: EXP_S }).hit;
const kept = async () => {
  notices.keep(ad, 'https://bidder.example/burl');
  await eventually(async () => expect(await redis.keys('*burl*')).toHaveLength(1));
};

test('a billing notice is kept until the fold horizon has passed its token, whatever the time', async () => {
  await kept();
  const [bucket = ''] = await redis.keys('*burl*');
  expect(await redis.ttl(bucket)).toBeGreaterThan(30 * 86_400);
  notices.drop(1, EXP_S * 1000 + 60_000);
  notices.drop(0, EXP_S * 1000 + 3_600_000);
  expect(await notices.take(ad)).toBe('https://bidder.example/burl');
  expect(await notices.take(ad)).toBeUndefined();
  await kept();
  notices.drop(1, EXP_S * 1000 + 180_000);
  await eventually(async () => expect(await redis.keys('*burl*')).toEqual([]));
});

test('a billing notice is sent once, also when the reply to the call that counted the impression was lost', async () => {
  await kept();
  const sent: string[] = [];
  const notifyBilled = createNotifyBilled({ billingNotices: notices, send: (url) => sent.push(url) });
  const outcomes: Settled['outcome'][] = ['duplicate', 'duplicate', 'expired'];
  const record = createRecordHit({
    ledger: {
      reserve: fail,
      reportLots: fail,
      unansweredReports: () => [],
      readScarce: fail,
      settle: () =>
        Promise.resolve({
          outcome: outcomes.shift() ?? 'expired',
          foundHold: false,
          reason: undefined,
          click: undefined,
          event: undefined,
        }),
    },
    pending: { store: fail },
    keys,
    hitLimitsOf: () => ({ limits: NO_LIMITS, expiresAtMs: 0 }),
    onFallback: fail,
    onFailure: fail,
    onSettled: notifyBilled,
  });
  const hit: Hit = { ...eventOf().hit, ad };
  expect([await record(hit), await record(hit), await record(hit)]).toEqual(['duplicate', 'duplicate', 'expired']);
  await eventually(() => expect(sent).toEqual(['https://bidder.example/burl']));
});
