import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { findRedisServer } from '../src/embedded/find-redis-server.ts';
import { freePort } from '../src/embedded/free-port.ts';
import { PORT_TAKEN, spawnStore, type StoreProcess } from '../src/embedded/spawn-store.ts';
import { untilTrue } from './until.ts';
import { redisPid } from './redis-pid.ts';

export interface ClusterNode {
  readonly port: number;
  readonly pid: number;
  /** A connection to this node alone. */
  readonly client: Redis;
  /** The node id in the cluster. */
  readonly id: string;
  /** SIGSTOP: it hangs; SIGCONT: it goes on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends the process with SIGKILL. */
  crash(): Promise<void>;
}

export interface RedisCluster {
  /** For REDIS_URL: the masters. */
  readonly urls: string;
  readonly masters: readonly ClusterNode[];
  /** One per master, in the same order; or none. */
  readonly replicas: readonly ClusterNode[];
  close(): Promise<void>;
}

const SLOTS = 16_384;

export interface ClusterSize {
  readonly masters: number;
  /** One for each master, or none. */
  readonly withReplicas: boolean;
}

/** A cluster of child processes; a node that does not answer for a second is failed over, if it has a replica. */
export const startRedisCluster = async ({ masters: size, withReplicas }: ClusterSize): Promise<RedisCluster> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-cluster-'));
  const binary = await findRedisServer();
  if (binary === null) throw new Error('No Redis binary was found.');
  const processes: StoreProcess[] = [];
  const clients: Redis[] = [];
  const close = async (): Promise<void> => {
    for (const client of clients) client.disconnect();
    await Promise.all(processes.map((store) => store.stop()));
    await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 });
  };

  /** When another process takes the free port first, the node tries other ports. */
  const startNode = async (name: string, attempt = 1): Promise<ClusterNode> => {
    const [home, port, busPort] = [path.join(folder, `${name}-${attempt}`), await freePort(), await freePort()];
    await mkdir(home);
    await symlink(binary, path.join(home, 'redis-server'));
    const settings = {
      port,
      'cluster-port': busPort,
      // A node learns its address from others; the only one of a cluster would have none to give to clients.
      'cluster-announce-ip': '127.0.0.1',
      bind: '127.0.0.1',
      dir: home,
      save: '',
      appendonly: 'yes',
      'cluster-enabled': 'yes',
      'cluster-node-timeout': 1000,
      'cluster-require-full-coverage': 'no',
      'repl-diskless-sync-delay': 0,
    };
    const client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => 100 });
    client.on('error', () => undefined);
    clients.push(client);
    const store = await spawnStore({
      name: 'Redis',
      folder: home,
      account: null,
      command: path.join(home, 'redis-server'),
      args: Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)]),
      stopSignal: 'SIGTERM',
      isReady: () =>
        client.ping().then(
          () => true,
          () => false,
        ),
    });
    if (store === PORT_TAKEN) {
      client.disconnect();
      return startNode(name, attempt + 1);
    }
    processes.push(store);
    const pid = await redisPid(client);
    return {
      port,
      pid,
      client,
      id: await client.cluster('MYID'),
      signal: (name) => void process.kill(pid, name),
      crash: async () => {
        process.kill(pid, 'SIGKILL');
        await store.stop();
      },
    };
  };

  const numbers = Array.from({ length: size }, (_, i) => i);
  const names = [...numbers.map((i) => `m${i}`), ...(withReplicas ? numbers.map((i) => `r${i}`) : [])];
  const nodes = await Promise.all(names.map((name) => startNode(name)));
  const [first] = nodes as [ClusterNode];
  const busPortOf = async ({ client }: ClusterNode) => Number((await client.config('GET', 'cluster-port'))[1]);
  const [masters, replicas] = [nodes.slice(0, size), nodes.slice(size)];
  for (const [i, { client }] of masters.entries()) {
    await client.call('CLUSTER', 'ADDSLOTSRANGE', Math.ceil((i * SLOTS) / size), Math.ceil(((i + 1) * SLOTS) / size) - 1);
  }
  for (const node of nodes.slice(1)) await first.client.call('CLUSTER', 'MEET', '127.0.0.1', node.port, await busPortOf(node));
  await until(async () => (await Promise.all(nodes.map(({ client }) => knownNodes(client)))).every((known) => known === nodes.length));
  for (const [i, { client }] of replicas.entries()) await client.call('CLUSTER', 'REPLICATE', masters[i]!.id);
  await until(async () =>
    (await Promise.all(replicas.map(({ client }) => client.info('replication')))).every((text) => text.includes('master_link_status:up')),
  );
  await until(async () => ((await first.client.call('CLUSTER', 'INFO')) as string).includes('cluster_state:ok'));

  return {
    urls: masters.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    masters,
    replicas,
    close,
  };
};

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  if ((await untilTrue(holds, 10_000)) === undefined) throw new Error('The cluster did not form within 10 s.');
};

const knownNodes = async (client: Redis): Promise<number> =>
  Number(/cluster_known_nodes:(\d+)/.exec((await client.call('CLUSTER', 'INFO')) as string)![1]);
