import type { LedgerKeys } from '../delivery/ledger-keys.ts';
import type { Ledger } from '../delivery/ledger.ts';
import type { RedisClient } from '../delivery/redis-client.ts';
import type { RedisLink } from '../delivery/redis-link.ts';
import { loadScript } from '../delivery/load-script.ts';
import type { HitLimits } from '../delivery/encode-settle.ts';
import type { Hit } from '../delivery/hit.ts';
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
  readonly onFailure: (fault: Error) => void;
}

export interface Fold {
  start(): void;
  stop(): Promise<void>;
}

const HORIZON_TTL_MS = 35 * 86_400_000;

/**
 * Brings the hits that Postgres took in back into the ledger, and tells the ledger how far that has come.
 *
 * The fold horizon is a promise: every hit stored in Postgres before this moment of Redis's clock has been settled. Only holds that
 * ended before it are released, so an answered hit always finds its reservation and a cap cannot be passed by what arrives late. While Postgres is away the
 * horizon stands still: holds stay, which may deliver less, never more.
 */
export const createFold = (options: FoldOptions): Fold => {
  const { redis, link, keys, ledger, pending, limitsOf, everyMs = 1000, onFolded, onFailure } = options;
  redis.defineCommand('serverTime', { lua: loadScript('server-time'), numberOfKeys: 1 });
  const clock = redis as unknown as { serverTime(key: string): Promise<number> };
  const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const settleLate = async (hits: readonly Hit[]): Promise<readonly boolean[]> =>
    Promise.all(
      hits.map(async (hit) => {
        const limits = limitsOf(hit);
        return limits !== undefined && (await ledger.settle(hit, limits, { late: true })) !== undefined;
      }),
    );

  const pass = async (): Promise<void> => {
    if (!link.up) return;
    const horizons = await Promise.all(shards.map((shard) => clock.serverTime(keys.horizon(shard))));
    const result = await pending.foldAll(settleLate);
    if (!result) return;
    if (result.folded > 0) onFolded(result.folded);
    if (!result.complete) return;
    await Promise.all(shards.map((shard) => redis.set(keys.horizon(shard), horizons[shard], 'PX', HORIZON_TTL_MS)));
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
