import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded/start-embedded-postgres.ts';
import { startEmbeddedRedis } from '../src/embedded/start-embedded-redis.ts';
import { seedCatalog, type CatalogPlan, type SeededCatalog } from './seed-catalog.ts';
import { startServer, type Server } from '../testkit/start-process.ts';
import { weighProcess } from '../testkit/weigh-process.ts';

export type Floor = 'node-echo' | 'express-echo' | 'express-gif' | 'redis-get';

/** A booked catalog with its database of Postgres and its database of Redis. */
export interface Stage extends SeededCatalog {
  readonly redisUrl: string;
  readonly redis: Redis;
}

/** The stores, and what the measures need to run their servers on them. */
export interface Rig {
  /** Servers have a core of their own; load, Redis and Postgres share the other. False: there is one core, or no taskset. */
  readonly pinned: boolean;
  readonly stateDir: string;
  readonly redisPid: number;
  /** The build under measurement. */
  readonly dist: string;
  readonly nodeFlags: readonly string[];
  readonly say: (line: string) => void;
  /** Books a plan, once for each name. */
  stage(name: string, plan: CatalogPlan): Promise<Stage>;
  startFloor(floor: Floor): Promise<Server>;
  startService(stage: Stage, options?: ServiceOptions): Promise<Server>;
  /** Stops a server that this rig has started. */
  stop(...servers: readonly Server[]): Promise<void>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly name?: string;
  /** The build to start instead of the rig's own. */
  readonly dist?: string;
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface RigOptions {
  readonly nodeFlags: readonly string[];
  /** The build to measure; default: this checkout's. */
  readonly dist?: string;
  readonly say: (line: string) => void;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVER_CORE = '0';
const LOAD_CORE = '1';
const REDIS_DATABASES = 16;

/** Starts a durable Postgres and Redis of its own, as they run in production, in a passing folder. */
export const createRig = async ({ nodeFlags, dist = path.join(ROOT, 'dist'), say }: RigOptions): Promise<Rig> => {
  const pinned = availableParallelism() > 1 && canPin();
  // Inherited by everything that is started from here on; the servers choose the other core themselves.
  if (pinned) execFileSync('taskset', ['-acp', LOAD_CORE, String(process.pid)], { stdio: 'ignore' });
  const stateDir = mkdtempSync(path.join(tmpdir(), 'ad-server-bench-'));
  chmodSync(stateDir, 0o755);
  const stores = await Promise.all([startEmbeddedPostgres({ stateDir }), startEmbeddedRedis({ stateDir })]);
  const [postgres, redis] = stores;
  const control = new Redis(redis.url);
  const redisPid = Number(/process_id:(\d+)/.exec(await control.info('server'))?.[1]);
  // A rewrite of the log forks in the middle of a measurement; the folder is thrown away at the end.
  await control.config('SET', 'auto-aof-rewrite-percentage', '0');

  // Postgres has a machine of its own where it matters; on this one it gets what Redis and the load leave over.
  weighProcess(await postmasterOf(postgres.url), 19);

  const through = pinned ? ['taskset', '-c', SERVER_CORE] : [];
  const running = new Set<Server>();
  const stages = new Map<string, Promise<Stage>>();
  const clients: Redis[] = [control];
  const keep = async (starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    running.add(server);
    return server;
  };

  const prepareStage = async (name: string, plan: CatalogPlan, database: number): Promise<Stage> => {
    if (database >= REDIS_DATABASES) throw new Error(`more than ${REDIS_DATABASES} stages`);
    const begun = performance.now();
    const databaseUrl = new URL(postgres.url);
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query(`create database ${name}`);
    await admin.end();
    databaseUrl.pathname = `/${name}`;
    const catalog = await seedCatalog(databaseUrl.href, plan);
    const redisUrl = `${redis.url}/${database}`;
    const client = new Redis(redisUrl);
    clients.push(client);
    say(`  booked ${plan.lineItems} line items (${plan.targeting}) in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    return { ...catalog, redisUrl, redis: client };
  };

  return {
    pinned,
    stateDir,
    redisPid,
    dist,
    nodeFlags,
    say,
    stage: (name, plan) => {
      const known = stages.get(name);
      if (known) return known;
      const stage = prepareStage(name, plan, stages.size + 1);
      stages.set(name, stage);
      return stage;
    },
    startFloor: (floor) =>
      keep(
        startServer({
          name: floor,
          command: [...through, process.execPath, ...nodeFlags, path.join(ROOT, 'bench', 'floors.mjs'), floor],
          env: { NODE_ENV: 'production', REDIS_URL: redis.url },
          cwd: ROOT,
        }),
      ),
    startService: (stage, { name = 'service', dist: build = dist, nodeFlags: extra = [], env = {} } = {}) =>
      keep(
        startServer({
          name,
          command: [...through, process.execPath, ...nodeFlags, ...extra, path.join(build, 'main.js')],
          env: { ...PRODUCTION, DATABASE_URL: stage.databaseUrl, REDIS_URL: stage.redisUrl, ...env },
          readyPath: '/ready',
          cwd: stateDir,
        }),
      ),
    stop: async (...servers) => {
      for (const server of servers) {
        await server.stop();
        running.delete(server);
      }
    },
    close: async () => {
      await Promise.all([...running].map((server) => server.stop()));
      for (const client of clients) client.disconnect();
      await Promise.all(stores.map((store) => store.stop()));
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
};

/** The process that all of Postgres's others descend from. */
const postmasterOf = async (url: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]!.pid}/status`, 'utf8'))?.[1]);
  await client.end();
  return postmaster;
};

/** As in production, with two differences: no drain time at the end, and the catalog is reloaded when a measure says so. */
const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  TOKEN_SECRET: 'a secret of the benchmark, longer than 32 bytes',
  LOG_LEVEL: 'warn',
  DRAIN_TIME: '0',
  RELOAD_INTERVAL: '0',
};

const canPin = (): boolean => {
  try {
    execFileSync('taskset', ['-c', SERVER_CORE, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
