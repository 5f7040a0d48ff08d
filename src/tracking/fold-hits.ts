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
  readonly hitLimitsOf: (hit: Hit) => HitLimits | undefined;
  readonly everyMs?: number;
  readonly onFolded: (hits: number) => void;
  /** As in createRecordHit: the ledger settled a hit for the first time. */
  readonly onSettled: (hit: Hit, foundHold: boolean) => void;
  readonly onFailure: (fault: Error) => void;
}

export interface Fold {
  start(): void;
  stop(): Promise<void>;
}

/**
 * For this long the ledger reliably recognizes a hit by its token; after that its event row does
 * (pending-hits.ts).
 */
const KNOWN_BY_TOKEN_MS = 5 * 60_000;
/** Maximum difference between a replica's clock and Redis's. */
const CLOCKS_MS = 60_000;

/**
 * Folds the hits that were stored in Postgres into the ledger, and advances the fold horizon.
 *
 * The fold horizon guarantees that every hit stored in Postgres before this moment of Redis's clock
 * has been settled. Only holds that ended before it are released, so an accepted hit always finds
 * its reservation and late hits cannot exceed a cap. While Postgres is unavailable the horizon does
 * not advance and holds stay, which may deliver less, never more.
 *
 * When Redis counted a hit but its reply was lost, the hit is both in the stream and in Postgres.
 * An old hit is therefore folded only when its shard's stream holds no entry as old as the hit: if
 * it was in the stream, it has its event row by now and is deleted.
 */
export const createFold = (options: FoldOptions): Fold => {
  const { redis, link, keys, ledger, pending, hitLimitsOf, everyMs = 1000, onFolded, onSettled, onFailure } = options;
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
        const limits = hitLimitsOf(hit);
        const settled = limits && (await ledger.settle(hit, limits, { late: true }));
        if (settled?.outcome === 'counted') onSettled(hit, settled.foundHold);
        return settled !== undefined;
      }),
    );

  const pass = async (): Promise<void> => {
    if (!link.up) return;
    const horizons = await Promise.all(shards.map((shard) => clock.serverTime(keys.horizon(shard))));
    // Read before the pending hits: an entry that leaves the stream later has its row when the row
    // is looked up.
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
