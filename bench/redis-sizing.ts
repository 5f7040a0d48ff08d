import type { Campaign } from '../src/catalog/model/entities.ts';
import type { RankedCandidate } from '../src/decision/ranked-candidate.ts';
import type { Hit } from '../src/ledger/hit.ts';
import { createLedgerKeys } from '../src/ledger/ledger-keys.ts';
import { NO_LIMITS } from '../src/ledger/limits.ts';
import { createLedger } from '../src/ledger/ledger.ts';
import { createRedisClient } from '../src/redis/redis-client.ts';
import { curveAt } from '../src/catalog/snapshot/traffic-curve.ts';
import { openPrivateStores } from '../testkit/private-stores.ts';
import { sampleCampaign, sampleCreative, sampleLineItem } from '../testkit/sample-booking.ts';
import { MS_PER_DAY, SECONDS_PER_DAY } from '../src/base/utc-day.ts';
import { LINK_UP } from '../testkit/link-up.ts';

/*
 * The figures of "Sizing" in docs/operations.md: what Redis spends, in memory and in processor time, on line items, users, tokens and events.
 * Its own Redis on this machine, about ten seconds: make size
 */
const LINE_ITEMS = 100;
const ADS = 40_000;
const USERS = 10_000;
const TOGETHER = 64;

const stores = await openPrivateStores('sizing');
const server = await stores.startRedis();
const redis = createRedisClient({ urls: [server.url], commandTimeoutMs: 10_000, name: 'sizing' });
await new Promise((resolve) => redis.once('ready', resolve));
const keys = createLedgerKeys(16);
const fail = (_script: string, fault: Error): never => {
  throw fault;
};
const ledger = createLedger({ redis, link: LINK_UP, keys, tokenTtlMs: 1_800_000, pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, onFailure: fail });

const now = Date.now();
const flight = { startMs: now - MS_PER_DAY, endMs: now + 30 * MS_PER_DAY };
const campaign: Campaign = sampleCampaign({ flight });
const candidateOf = (id: number, dailyImpressionCap = 1e9, placesOfUser: number | null = 1e6): RankedCandidate => {
  const frequencyCaps =
    placesOfUser === null ? [] : [{ scope: 'line_item', of: 'impressions', max: placesOfUser, windowMs: MS_PER_DAY } as const];
  const lineItem = sampleLineItem({ id, flight, cpmMicros: 2_000_000, dailyImpressionCap, frequencyCaps });
  const creative = sampleCreative(id, { placementIds: ['article-top'] });
  return { creative, lineItem, campaign, ecpmMicros: 0, priceMicros: 2000, expectedMicros: 2000, position: 0, bid: -1 };
};
const candidates = Array.from({ length: LINE_ITEMS }, (_, i) => candidateOf(i + 1));
const uncapped = Array.from({ length: LINE_ITEMS }, (_, i) => candidateOf(i + 1, 1e9, null));
const full = Array.from({ length: 7 }, (_, i) => candidateOf(LINE_ITEMS + 1 + i, 0));

/** Processor seconds of Redis so far. */
const cpuSeconds = async (): Promise<number> => {
  const text = await redis.info('cpu');
  return ['user', 'sys'].reduce((sum, kind) => sum + Number(new RegExp(`used_cpu_${kind}:(\\S+)`).exec(text)![1]), 0);
};
const measure = async (times: number, one: (i: number) => Promise<unknown>): Promise<number> => {
  const before = await cpuSeconds();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < times) await one(next++);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
  return ((await cpuSeconds()) - before) / times;
};

const hits: Hit[] = [];
const reserve =
  (refused: readonly RankedCandidate[], from = candidates) =>
  async (i: number) => {
    const first = i % LINE_ITEMS;
    const userHash = `user-hash-of-22-chars${i % USERS}`;
    const imps = [[...refused, from[first]!]];
    const answer = await ledger.reserve({ publisherId: 1, userHash, curve: curveAt(now), expiresAtMs: flight.endMs, imps });
    const won = candidates[first]!.lineItem;
    hits.push({
      ad: {
        ...{ tokenId: `0123456789abcdef${i}-${refused.length}`, publisherId: 1, campaignId: 1, lineItemId: won.id, creativeId: won.id },
        ...{ placementId: 'article-top', priceMicros: 2000, billsOn: 'impression', userHash, billingNotice: false, servedAtMs: now },
        counted: [won.id, SECONDS_PER_DAY],
        seal: `04${String(i % 200).padStart(4, 'n')}page${String(i % USERS).padStart(4, 'u')}`,
        ...answer!.imps[0]!.moments!,
      },
      ...{ kind: 'impression', eventType: '', invalidReason: '', atMs: now, country: 'NL', device: 'mobile' },
    });
  };
const limits = { limits: NO_LIMITS, expiresAtMs: flight.endMs };

await measure(2_000, reserve([]));
const ping = await measure(ADS, () => redis.get(keys.horizon(1)));
const reserveOne = await measure(ADS, reserve([]));
const reserveUncapped = await measure(ADS, reserve([], uncapped));
const reserveEight = await measure(ADS / 4, reserve(full));
const settle = await measure(ADS, (i) => ledger.settle(hits[i]!, limits));

const memoryOf = async (key: string): Promise<number> => Number(await redis.call('MEMORY', 'USAGE', key, 'SAMPLES', '0'));
const micros = (seconds: number): string => `${(seconds * 1e6).toFixed(1)} µs of Redis's processor`;
const rows: readonly (readonly [string, string])[] = [
  ['a GET, for comparison', micros(ping)],
  ['an ad request, one candidate', micros(reserveUncapped)],
  ['… with a frequency cap', micros(reserveOne)],
  ['… and seven refused before it', micros(reserveEight)],
  ['an impression', micros(settle)],
  ['a line item', `${Math.round((await memoryOf(keys.accounts(1))) / (LINE_ITEMS + 1))} bytes`],
  [
    'a user with places under frequency caps',
    `${await memoryOf(keys.places(1, 'user-hash-of-22-chars1'))} bytes with ${Math.round(hits.length / USERS)} places`,
  ],
  ['a token that was seen', `${await memoryOf(keys.seen(1, hits[0]!.ad.tokenId))} bytes`],
  ['an event that waits for Postgres', `${Math.round((await memoryOf(keys.events(1))) / ADS)} bytes`],
];
for (const [what, figure] of rows) console.log(`${what.padEnd(42)} ${figure}`);
redis.disconnect();
await stores.stop();
