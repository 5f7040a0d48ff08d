import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { createCpuGroup } from './cpu-group.ts';
import { childrenOf } from '../testkit/process-cpu.ts';
import { seedCatalog, type CatalogPlan, type SeededCatalog } from './seed-catalog.ts';
import { createDatabase, databaseNamed, withClient } from '../testkit/databases.ts';
import { openPrivateStores } from '../testkit/private-stores.ts';
import { startServer, type Server } from '../testkit/start-process.ts';
import { weighSession } from '../testkit/weigh-process.ts';
import { redisPid } from '../testkit/redis-pid.ts';

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
  /** The parent of all processes of Postgres. */
  readonly postgresPid: number;
  /** The build under measurement. */
  readonly dist: string;
  readonly nodeFlags: readonly string[];
  readonly say: (line: string) => void;
  /** Books a plan, once for each name. */
  stage(name: string, plan: CatalogPlan, migrate?: (databaseUrl: string) => Promise<unknown>): Promise<Stage>;
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
  /** The program of Node; default: this process's. */
  readonly program?: string;
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default `server`. `load`: beside the load, as on another machine than the servers. */
  readonly core?: 'server' | 'load';
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
/** Threads of the kernel that sample or tidy memory take 8 to 40 ms at a time of the core that is less busy: the servers'. */
const SERVER_PRIORITY = -15;
/** Below the load, which else would send less. */
const BESIDE_LOAD_PRIORITY = 19;
const REDIS_DATABASES = 16;

/** Starts a durable Postgres and Redis, as they run in production, with their data in a temporary folder. */
export const createRig = async ({ nodeFlags, dist = path.join(ROOT, 'dist'), say }: RigOptions): Promise<Rig> => {
  const pinned = availableParallelism() > 1 && canPin();
  // Inherited by everything that is started from here on; the servers choose the other core themselves.
  if (pinned) execFileSync('taskset', ['-acp', LOAD_CORE, String(process.pid)], { stdio: 'ignore' });
  const stores = await openPrivateStores('bench');
  const stateDir = stores.folder;
  const [postgres, redis] = await Promise.all([stores.startPostgres(), stores.startRedis()]);
  const control = new Redis(redis.url);
  const pidOfRedis = await redisPid(control);
  // A rewrite of the log forks in the middle of a measurement; the folder is thrown away at the end.
  await control.config('SET', 'auto-aof-rewrite-percentage', '0');

  const postgresPid = await postmasterOf(postgres.url);
  // In production Postgres has a separate machine; here it gets what Redis and the load leave over. Its connections and the helpers of a
  // query are new processes with sessions of their own, which inherit a group and no priority.
  const leftOver = createCpuGroup(`ad-server-bench-${process.pid}-postgres`, 'lowest');
  for (const pid of [postgresPid, ...childrenOf(postgresPid).keys()]) leftOver?.take(pid);

  const throughCore = (core: string): readonly string[] => (pinned ? ['taskset', '-c', core] : []);
  const through = throughCore(SERVER_CORE);
  const running = new Set<Server>();
  const stages = new Map<string, Promise<Stage>>();
  const clients: Redis[] = [control];
  const keep = async (starting: Promise<Server>, priority = SERVER_PRIORITY): Promise<Server> => {
    const server = await starting;
    running.add(server);
    weighSession(server.pid, priority);
    return server;
  };

  const prepareStage = async (
    name: string,
    plan: CatalogPlan,
    database: number,
    migrate?: (databaseUrl: string) => Promise<unknown>,
  ): Promise<Stage> => {
    if (database >= REDIS_DATABASES) throw new Error(`more than ${REDIS_DATABASES} stages`);
    const begun = performance.now();
    const catalog = await seedCatalog(await createDatabase(postgres.url, name), plan, migrate);
    const redisUrl = databaseNamed(redis.url, String(database));
    const client = new Redis(redisUrl);
    clients.push(client);
    say(`  booked ${plan.lineItems} line items (${plan.targeting}) in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    return { ...catalog, redisUrl, redis: client };
  };

  return {
    pinned,
    stateDir,
    redisPid: pidOfRedis,
    postgresPid,
    dist,
    nodeFlags,
    say,
    stage: (name, plan, migrate) => {
      const known = stages.get(name);
      if (known) return known;
      const stage = prepareStage(name, plan, stages.size + 1, migrate);
      stages.set(name, stage);
      return stage;
    },
    startFloor: (floor) =>
      keep(
        startServer({
          name: floor,
          command: [...through, process.execPath, ...nodeFlags, path.join(ROOT, 'bench', 'floors.mjs'), floor],
          env: { ...IMAGE, REDIS_URL: redis.url },
          cwd: ROOT,
        }),
      ),
    startService: (stage, options = {}) => {
      const {
        name = 'service',
        dist: build = dist,
        program = process.execPath,
        nodeFlags: extra = [],
        env = {},
        core = 'server',
      } = options;
      const server = startServer({
        name,
        command: [
          ...throughCore(core === 'server' ? SERVER_CORE : LOAD_CORE),
          program,
          ...nodeFlags,
          ...extra,
          path.join(build, 'main.js'),
        ],
        env: { ...PRODUCTION, DATABASE_URL: stage.databaseUrl, REDIS_URL: stage.redisUrl, ...env },
        readyPath: '/ready',
        cwd: stateDir,
      });
      return keep(server, core === 'server' ? SERVER_PRIORITY : BESIDE_LOAD_PRIORITY);
    },
    stop: async (...servers) => {
      for (const server of servers) {
        await server.stop();
        running.delete(server);
      }
    },
    close: async () => {
      await Promise.all([...running].map((server) => server.stop()));
      for (const client of clients) client.disconnect();
      await stores.stop();
      await leftOver?.remove();
    },
  };
};

/** The parent of all other processes of Postgres. */
const postmasterOf = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]!.pid}/status`, 'utf8'))?.[1]);
  });

/** As the image sets them. */
const IMAGE = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '1' };

/**
 * As in production, with three differences: no drain time at the end, the catalog is reloaded when a
 * measure says so, and the load, which comes from one address and renders nothing, may hold any number of ads.
 */
const PRODUCTION = {
  ...IMAGE,
  HOST: '127.0.0.1',
  TOKEN_SECRET: 'a secret of the benchmark, longer than 32 bytes',
  LOG_LEVEL: 'warn',
  DRAIN_TIME: '0',
  RELOAD_INTERVAL: '0',
  EARNED_HOLDS: 'false',
};

const canPin = (): boolean => {
  try {
    execFileSync('taskset', ['-c', SERVER_CORE, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
