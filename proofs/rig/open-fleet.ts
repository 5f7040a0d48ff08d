import { mkdir } from 'node:fs/promises';
import { freePort } from '../../src/embedded/free-port.ts';
import { startEmbeddedRedis } from '../../src/embedded/start-embedded-redis.ts';
import { createChance } from '../../testkit/chance.ts';
import { createPage, type Page } from '../../testkit/create-page.ts';
import { connectStores, type Stores } from '../../testkit/read-books.ts';
import { startBalancer } from '../../testkit/start-balancer.ts';
import { startFaultProxy, type FaultProxy } from '../../testkit/start-fault-proxy.ts';
import { untilTrue } from '../../testkit/until.ts';
import { reloadAll, startReplica, type Replica } from '../../testkit/start-replica.ts';
import { readMetrics } from '../../testkit/read-metrics.ts';
import { openReplicaProbe, type ReplicaProbe } from './open-replica-probe.ts';
import { redisPid } from '../../testkit/redis-pid.ts';

export interface FleetOptions {
  readonly replicas?: number;
  /** Puts a fault proxy between each replica and the stores. */
  readonly faulty?: boolean;
  /** Included in the replicas' store URLs; the stores themselves require no password. */
  readonly storePassword?: string;
  /** Loads a probe into each replica. */
  readonly probed?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Replicas behind a balancer, with a separate Redis and database. `knex` and `redis` bypass the fault proxies. */
export interface Fleet extends Stores {
  readonly url: string;
  /** A page of the publisher, with 64 connections to the balancer. */
  readonly page: Page;
  readonly replicas: readonly Replica[];
  /** Per replica; empty without `faulty`. */
  readonly redisProxies: readonly FaultProxy[];
  readonly postgresProxies: readonly FaultProxy[];
  /** Per replica; empty without `probed`. */
  readonly probes: readonly ReplicaProbe[];
  readonly redisPort: number;
  /** The folder that Redis was started with. */
  readonly redisFolder: string;
  /** Of the database itself, past the fault proxies. */
  readonly databaseUrl: string;
  /** Stops Redis, by SIGTERM or SIGKILL, and starts it again on the same port and data. */
  stopRedis(how: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  startRedis(): Promise<void>;
  /** The token secret of all replicas. */
  readonly tokenSecret: string;
  /** Reloads the catalog on every replica. */
  reload(): Promise<void>;
  /** One metric of every replica, added up over its series; replicas that do not answer are left out. */
  metric(name: string): Promise<number>;
  close(): Promise<void>;
}

const TOKEN_SECRET = 'the signing secret that all replicas of a proof share';

export const openFleet = async (
  { databaseUrl, folder, seed }: { readonly databaseUrl: string; readonly folder: string; readonly seed: number },
  { replicas: count = 3, faulty = false, storePassword, probed = false, env = {} }: FleetOptions,
): Promise<Fleet> => {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const redisPort = await freePort();
  const redisUrl = `redis://127.0.0.1:${redisPort}`;
  let store = await startEmbeddedRedis({ stateDir: folder, port: redisPort });
  const chance = createChance(seed);

  const redisProxies: FaultProxy[] = [];
  const postgresProxies: FaultProxy[] = [];
  const database = new URL(databaseUrl);
  if (storePassword !== undefined) database.password = storePassword;
  const storeUrls: { readonly DATABASE_URL: string; readonly REDIS_URL: string }[] = [];
  for (let i = 0; i < count; i++) {
    if (faulty) {
      redisProxies.push(await startFaultProxy(redisUrl, chance));
      postgresProxies.push(await startFaultProxy(database.href, chance));
    }
    storeUrls.push({ DATABASE_URL: postgresProxies[i]?.url ?? database.href, REDIS_URL: redisProxies[i]?.url ?? redisUrl });
  }
  const probes = probed ? await Promise.all(storeUrls.map(openReplicaProbe)) : [];
  const replicas: readonly Replica[] = await Promise.all(
    storeUrls.map((urls, i) => {
      const { nodeFlags = [], env: ofProbe = {} } = probes[i] ?? {};
      return startReplica({ nodeFlags, env: { TOKEN_SECRET, DRAIN_TIME: '1s', LOG_LEVEL: 'info', ...urls, ...ofProbe, ...env } });
    }),
  );
  const balancer = await startBalancer(replicas.map(({ port }) => port));

  const page = createPage(balancer.url);
  const stores = connectStores({ databaseUrl, redisUrl });
  const { redis } = stores;

  return {
    ...stores,
    url: balancer.url,
    page,
    replicas,
    redisProxies,
    postgresProxies,
    probes,
    redisPort,
    redisFolder: folder,
    databaseUrl,
    stopRedis: async (how) => {
      if (how === 'SIGKILL') {
        await untilTrue(() => redis.status === 'ready', 10_000);
        process.kill(await redisPid(redis), 'SIGKILL');
      }
      await store.stop();
    },
    startRedis: async () => {
      store = await startEmbeddedRedis({ stateDir: folder, port: redisPort });
    },
    tokenSecret: TOKEN_SECRET,
    reload: () => reloadAll(replicas),
    metric: async (name) => {
      // A replica that is down has no series.
      const series = await Promise.all(replicas.map((replica) => readMetrics(replica).catch(() => new Map<string, number>())));
      const isOfName = (key: string): boolean => key === name || key.startsWith(`${name}{`);
      return series.flatMap((one) => [...one]).reduce((sum, [key, value]) => (isOfName(key) ? sum + value : sum), 0);
    },
    close: async () => {
      await page.close();
      await balancer.end('SIGKILL');
      await Promise.allSettled(replicas.map((replica) => replica.kill('SIGKILL')));
      for (const probe of probes) probe.close();
      await Promise.allSettled([...redisProxies, ...postgresProxies].map((proxy) => proxy.close()));
      await stores.close();
      await store.stop();
    },
  };
};
