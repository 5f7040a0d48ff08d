import { IDLE_KEY_TTL_MS } from '../base/utc-day.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import { loadScript } from '../redis/load-script.ts';
import type { HitLimits } from '../ledger/settle/encode-settle.ts';
import type { Hit } from '../ledger/hit.ts';
import type { PendingHits } from './pending-hits.ts';

export interface FoldOptions {
  readonly redis: RedisClient;
  readonly link: RedisLink;
  readonly keys: LedgerKeys;
  readonly ledger: Ledger;
  readonly pending: PendingHits;
  /** undefined: the catalog has not been loaded yet, and folding waits for it. */
  readonly limitsOf: (hit: Hit) => HitLimits | undefined;
  readonly everyMs?: number;
  readonly onFolded: (hits: number) => void;
  /** As of createRecordHit: a hit was settled by the ledger for the first time. */
  readonly onSettled: (hit: Hit, foundHold: boolean) => void;
  readonly onFailure: (fault: Error) => void;
}

export interface Fold {
  start(): void;
  stop(): Promise<void>;
}

/** The ledger is sure to know a hit by its token for so long; after that its event row does, once it is there (pending-hits.ts). */
const KNOWN_BY_TOKEN_MS = 5 * 60_000;
/** A replica's clock against Redis's. */
const CLOCKS_MS = 60_000;

/**
 * Brings the hits that Postgres took in back into the ledger, and tells the ledger how far that has come.
 *
 * The fold horizon is a promise: every hit stored in Postgres before this moment of Redis's clock has been settled. Only holds that
 * ended before it are released, so an answered hit always finds its reservation and a cap cannot be passed by what arrives late. While Postgres is away the
 * horizon stands still: holds stay, which may deliver less, never more.
 *
 * A hit that Redis counted without our hearing so is in the stream as well as in Postgres. One that has waited long is therefore folded only when
 * nothing as old as itself is left in its shard's stream: if it was there it has its row now, and is forgotten.
 */
export const createFold = (options: FoldOptions): Fold => {
  const { redis, link, keys, ledger, pending, limitsOf, everyMs = 1000, onFolded, onSettled, onFailure } = options;
  redis.defineCommand('serverTime', { lua: loadScript(new URL('../redis/lua/server-time.lua', import.meta.url)), numberOfKeys: 1 });
  const clock = redis as unknown as { serverTime(key: string): Promise<number> };
  const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const oldestEventMs = async (shard: number): Promise<number> => {
    const [entry] = await redis.xrange(keys.events(shard), '-', '+', 'COUNT', 1);
    return entry === undefined ? Infinity : Number.parseInt(entry[0], 10);
  };

  const settleLate = async (hits: readonly Hit[], nowMs: number, oldestEvents: readonly number[]): Promise<readonly boolean[]> =>
    Promise.all(
      hits.map(async (hit) => {
        const oldest = oldestEvents[keys.shardOf(hit.ad.publisherId)];
        if (nowMs - hit.atMs > KNOWN_BY_TOKEN_MS && oldest! <= hit.atMs + CLOCKS_MS) return false;
        const limits = limitsOf(hit);
        const settled = limits && (await ledger.settle(hit, limits, { late: true }));
        if (settled?.outcome === 'counted') onSettled(hit, settled.foundHold);
        return settled !== undefined;
      }),
    );

  const pass = async (): Promise<void> => {
    if (!link.up) return;
    const horizons = await Promise.all(shards.map((shard) => clock.serverTime(keys.horizon(shard))));
    // Read before the hits are: what leaves the stream after this has its row by the time it is looked for.
    const oldestEvents = await Promise.all(shards.map(oldestEventMs));
    const result = await pending.foldAll((hits) => settleLate(hits, Math.max(...horizons), oldestEvents));
    if (!result) return;
    if (result.folded > 0) onFolded(result.folded);
    if (!result.complete) return;
    await Promise.all(shards.map((shard) => redis.set(keys.horizon(shard), horizons[shard]!, 'PX', IDLE_KEY_TTL_MS)));
  };

  const tick = async (): Promise<void> => {
    try {
      await pass();
    } catch (fault) {
      onFailure(fault as Error);
    }
    running = undefined;
  };

  return {
    start: () => {
      timer ??= setInterval(() => {
        running ??= tick();
      }, everyMs);
    },
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
