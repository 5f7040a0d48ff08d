import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import knexFactory, { type Knex } from 'knex';
import { migrateLatest } from '../../src/catalog/postgres/migrate.ts';
import { defaultStateDir } from '../../src/config/default-state-dir.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { startEmbeddedRedis } from '../../src/embedded/start-embedded-redis.ts';
import { createEventStore, type EventStore } from '../../src/events/postgres/event-store.ts';
import { ROLL_UPS } from '../../src/events/postgres/roll-ups.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { databaseNamed, withClient } from '../../testkit/databases.ts';
import { REPLICAS } from './book-world.ts';
import { createFaultyRedis, type FaultyRedis } from './faulty-redis.ts';
import { EXPIRE_LUA, installPostgresClock, setPostgresClock } from './virtual-time.ts';

/** The stores of one run at a time: a Redis, which a story may empty, a Postgres database, and the connections to them. */
export interface Lane {
  /** One per replica. */
  readonly replicas: readonly FaultyRedis[];
  /** Of folds and the event writer. */
  readonly background: FaultyRedis;
  /** Of the oracle. */
  readonly observer: FaultyRedis;
  readonly knex: Knex;
  /** Knows the partitions that exist, which stay between runs. */
  readonly eventStore: EventStore;
  /** Sets the clocks of Redis and of Postgres. */
  setClocks(redisMs: number, postgresMs: number): Promise<void>;
  clear(): Promise<void>;
}

export interface Lanes {
  readonly lanes: readonly Lane[];
  close(): Promise<void>;
}

const COUNTED = [
  'events',
  'event_batches',
  'event_signals',
  'pending_hits',
  'daily_counts',
  ...ROLL_UPS.map(({ table }) => table),
  'filtered_counts',
  'event_counts',
  'hourly_counts',
  'dead_events',
  'open_holds',
  'carried_counts',
  'ledger_epochs',
  'ledger_replicas',
];
const TABLES = [
  ...COUNTED,
  'finance_lines',
  'finance_months',
  'deleted_records',
  'line_items',
  'campaigns',
  'campaign_payers',
  'advertisers',
  'publishers',
];

/** Starts a Postgres and a Redis for each, and opens `count` lanes on them. */
export const openLanes = async (count: number): Promise<Lanes> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-chaos-'));
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ stateDir: folder, binariesDir: defaultStateDir(process.env), durable: false });
  await migrateLatest(postgres.url);
  await withKnexOf(postgres.url, installPostgresClock);
  const template = new URL(postgres.url).pathname.slice(1);
  const servers: { stop(): Promise<void> }[] = [postgres];
  const opened: { readonly lane: Lane; readonly close: () => Promise<void> }[] = [];
  for (let n = 0; n < count; n++) {
    const name = `chaos_${n}`;
    await withClient(databaseNamed(postgres.url, 'postgres'), (client) => client.query(`create database ${name} template ${template}`));
    const databaseUrl = databaseNamed(postgres.url, name);
    await withClient(databaseUrl, (client) => client.query(`alter database ${name} set search_path = chaos, public, pg_catalog`));
    const redis = await startEmbeddedRedis({ stateDir: path.join(folder, String(n)), durable: false });
    servers.push(redis);
    opened.push(await openLane(redis.url, databaseUrl));
  }
  return {
    lanes: opened.map(({ lane }) => lane),
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const openLane = async (redisUrl: string, databaseUrl: string): Promise<{ lane: Lane; close: () => Promise<void> }> => {
  const clients = await Promise.all(Array.from({ length: REPLICAS + 2 }, () => createFaultyRedis(redisUrl)));
  const [background, observer, ...replicas] = clients as [FaultyRedis, FaultyRedis, ...FaultyRedis[]];
  const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 1, max: 6 } });
  observer.redis.defineCommand('expireKeys', { lua: EXPIRE_LUA, numberOfKeys: 0 });
  const scripts = observer.redis as unknown as { expireKeys(ms: number): Promise<number> };
  let postgresMs = 0;
  const lane: Lane = {
    replicas,
    background,
    observer,
    knex,
    eventStore: createEventStore({ knex }),
    setClocks: async (redisMs, wantedMs) => {
      await Promise.all([observer.redis.set(VIRTUAL_CLOCK_KEY, redisMs), scripts.expireKeys(redisMs)]);
      if (wantedMs !== postgresMs) await setPostgresClock(knex, wantedMs);
      postgresMs = wantedMs;
    },
    clear: async () => {
      for (const client of clients) {
        client.setMode('up');
        client.dropLateCalls();
      }
      await observer.redis.flushdb();
      await knex.raw(TABLES.map((table) => `delete from ${table}`).join(';'));
    },
  };
  return {
    lane,
    close: async () => {
      for (const { redis } of clients) redis.disconnect();
      await knex.destroy();
    },
  };
};

const withKnexOf = async (url: string, work: (knex: Knex) => Promise<void>): Promise<void> => {
  const knex = knexFactory({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  try {
    await work(knex);
  } finally {
    await knex.destroy();
  }
};
