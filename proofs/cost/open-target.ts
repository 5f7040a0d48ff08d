import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPage } from '../../testkit/create-page.ts';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { startReplica } from '../../testkit/start-replica.ts';
import { openReplicaProbe } from '../rig/open-replica-probe.ts';
import { bookTarget, type Booked } from './book-target.ts';
import { openBidder, type ScriptedBidder } from './open-bidder.ts';

/** A replica under search: a process with a probe, a crowded placement and tokens to send. */
export interface Target extends Booked {
  readonly port: number;
  readonly adminToken: string;
  readonly bidder: ScriptedBidder;
  /** Tracking tokens of ads that it served, not yet used. */
  readonly tokens: readonly string[];
  /** CPU time of the main thread so far: what the event loop did, wherever it waited. */
  loopNs(): number;
  /** Heap and external memory after a collection, in bytes. */
  heapBytes(): Promise<number>;
  /** Watches the event loop, until `longestHoldMs` says for how long it was held at most. */
  watchLoop(): Promise<void>;
  longestHoldMs(): Promise<number>;
  crashes(): number;
  close(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ADMIN_TOKEN = 'the-token-of-the-staff-of-this-proof';

/** @param dist the build to start; default: this checkout's. Each build migrates its own database. */
export const openTarget = async (dist = path.join(ROOT, 'dist'), lineItems: number): Promise<Target> => {
  const stores = await openPrivateStores('cost');
  const bidder = await openBidder();
  const closeAll = async (): Promise<void> => {
    bidder.close();
    await stores.stop();
  };
  try {
    const [postgres, redis] = [await stores.startPostgres(), await stores.startRedis()];
    await migrateBy(dist, postgres.url);
    const booked = await bookTarget(postgres.url, lineItems, bidder);
    const { booking } = booked;
    const probe = await openReplicaProbe();
    const replica = await startReplica({
      dist,
      nodeFlags: ['--expose-gc', ...probe.nodeFlags],
      env: {
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        TOKEN_SECRET: 'the token secret of the proof of costs',
        ADMIN_TOKEN,
        ...probe.env,
        LOG_LEVEL: 'error',
        DRAIN_TIME: '0s',
      },
      readyWithinMs: 60_000,
    });
    const page = createPage(replica.url, 4);
    const tokens: string[] = [];
    for (let i = 0; i < TOKENS; i++) {
      const [bid] = (await page.ask(booking, `reader-${i}`)).bids;
      if (bid) tokens.push(String(new URL(bid.impurl, replica.url).searchParams.get('t')));
    }
    await page.close();
    const schedule = `/proc/${replica.pid()}/task/${replica.pid()}/schedstat`;
    return {
      ...booked,
      port: replica.port,
      adminToken: ADMIN_TOKEN,
      bidder,
      tokens,
      loopNs: () => Number(readFileSync(schedule, 'utf8').split(' ', 1)[0]),
      heapBytes: probe.heapBytes,
      watchLoop: probe.watchLoop,
      longestHoldMs: probe.longestHoldMs,
      crashes: replica.crashes,
      close: async () => {
        probe.close();
        await replica.kill('SIGKILL');
        await closeAll();
      },
    };
  } catch (fault) {
    await closeAll();
    throw fault;
  }
};

const TOKENS = 20;
const migrateBy = async (dist: string, databaseUrl: string): Promise<void> => {
  const command = ['commands/migrate.js', 'migrate.js'].map((file) => path.join(dist, file)).find((file) => existsSync(file));
  if (command === undefined) throw new Error(`${dist} has no migrate.js`);
  await promisify(execFile)(process.execPath, [command], { env: { ...process.env, DATABASE_URL: databaseUrl } });
};
