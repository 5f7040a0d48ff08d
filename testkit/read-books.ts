import knexFactory, { type Knex } from 'knex';
import { createAccountReader, type AccountReader } from '../src/ledger/read/read-accounts.ts';
import { createLedgerKeys, type LedgerKeys } from '../src/ledger/ledger-keys.ts';
import { createRedisClient, type RedisClient } from '../src/redis/redis-client.ts';
import type { Booking } from './book.ts';
import { untilTrue } from './until.ts';

/** What Redis and Postgres each hold about the line items of a booking. Money in micros. */
export interface Books {
  /** The ledger's accounts, summed over the line items. */
  readonly counters: { readonly impressions: number; readonly clicks: number; readonly spendMicros: number; readonly held: number };
  /** Token ids of event rows by kind ('impression', 'click', 'event'), once per row. */
  readonly rows: Readonly<Record<'impression' | 'click' | 'event', readonly string[]>>;
  /** The rows that are filtered: kind and reason. */
  readonly filtered: readonly string[];
  readonly rowSpendMicros: number;
  readonly daily: { readonly impressions: number; readonly clicks: number; readonly spendMicros: number; readonly serves: number };
}

export interface Stores {
  readonly knex: Knex;
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly accounts: AccountReader;
}

/** Connections of an observer to the stores of a fleet, with the key layout that its replicas use by default. */
export const connectStores = ({ databaseUrl, redisUrl }: { readonly databaseUrl: string; readonly redisUrl: string }) => {
  const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 4 } });
  const redis = createRedisClient({ urls: [redisUrl], commandTimeoutMs: 5_000, name: 'observer' });
  // Outages are part of a run; ioredis would print each failed attempt.
  redis.on('error', () => undefined);
  const keys = createLedgerKeys(16);
  const close = async (): Promise<void> => {
    redis.disconnect();
    await knex.destroy();
  };
  return { knex, redis, keys, accounts: createAccountReader({ redis, keys }), close };
};

/** Waits until no hit in Postgres waits for the ledger, no event in a stream for Postgres, and no event row to be counted. */
export const untilDrained = async ({ knex, redis, keys }: Stores, patienceMs = 60_000): Promise<boolean> => {
  const isQuiet = async (): Promise<boolean> => {
    const [{ count } = { count: 0 }] = await knex('pending_hits').count<{ count: string }[]>('*');
    if (Number(count) > 0) return false;
    for (let shard = 0; shard < keys.shards; shard++) if ((await redis.xlen(keys.events(shard))) > 0) return false;
    return (await knex('event_batches').first('batch')) === undefined;
  };
  return (await untilTrue(() => isQuiet().catch(() => false), patienceMs, 200)) !== undefined;
};

export const readBooks = async ({ knex, accounts }: Stores, { publisherId, lineItemIds }: Booking): Promise<Books> => {
  const held = (await accounts.lineItems(publisherId, lineItemIds)).filter((account) => account !== undefined);
  const sum = <T>(list: readonly T[], read: (entry: T) => number): number => list.reduce((total, entry) => total + read(entry), 0);
  const events = await knex('events')
    .whereIn('line_item_id', lineItemIds)
    .select<{ jti: string; kind: string; billed_micros: string; invalid_reason: string }[]>();
  const daily = await knex('daily_counts').whereIn('line_item_id', lineItemIds).select<Record<string, string>[]>();
  const ofKind = (wanted: string) => events.filter(({ kind }) => kind === wanted).map(({ jti }) => jti);
  return {
    counters: {
      impressions: sum(held, ({ totalImpressions }) => totalImpressions),
      clicks: sum(held, ({ today, yesterday }) => today.clicks + yesterday.clicks),
      spendMicros: sum(held, ({ totalSpendMicros }) => totalSpendMicros),
      held: sum(held, ({ heldToday }) => heldToday),
    },
    rows: { impression: ofKind('impression'), click: ofKind('click'), event: ofKind('event') },
    filtered: events.filter(({ invalid_reason }) => invalid_reason !== '').map(({ kind, invalid_reason }) => `${kind} ${invalid_reason}`),
    rowSpendMicros: sum(events, ({ billed_micros }) => Number(billed_micros)),
    daily: {
      impressions: sum(daily, ({ impressions }) => Number(impressions)),
      clicks: sum(daily, ({ clicks }) => Number(clicks)),
      spendMicros: sum(daily, ({ spend_micros }) => Number(spend_micros)),
      serves: sum(daily, ({ serves }) => Number(serves)),
    },
  };
};
