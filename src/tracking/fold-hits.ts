import PQueue from 'p-queue';
import { createRounds } from '../base/rounds.ts';
import { IDLE_KEY_TTL_MS, MS_PER_MINUTE } from '../base/utc-day.ts';
import type { DeadEvent } from '../events/postgres/dead-events.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { scopeOfShard, scopesOf, type RedisClient } from '../redis/redis-client.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import { createReadUnstored, entryMs } from '../ledger/read/oldest-unstored.ts';
import { answerWithin } from '../redis/answer-within.ts';
import { loadScript } from '../redis/load-script.ts';
import type { HitLimits } from '../ledger/settle/encode-settle.ts';
import { billsHit, takesFromHold, type Hit, type Settled } from '../ledger/hit.ts';
import type { FoldedPage, PendingHits } from './pending-hits.ts';

export interface FoldOptions {
  readonly redis: RedisClient;
  readonly link: RedisLink;
  readonly keys: LedgerKeys;
  readonly ledger: Ledger;
  readonly pending: Pick<PendingHits, 'waitingShards' | 'foldPage'>;
  /** When the books of a shard began, epoch ms by Redis's clock: of older ads rows know more than Redis. 0: nothing was lost. */
  readonly booksSinceMs?: (shard: number) => number;
  /** undefined: the catalog has not been loaded yet, and folding waits for it. */
  readonly hitLimitsOf: (hit: Hit) => HitLimits | undefined;
  readonly everyMs?: number;
  /** Called when the fold horizon of a shard has advanced. */
  readonly onAdvanced?: (shard: number, horizonMs: number) => void;
  /** Called for each shard whose hits were folded. */
  readonly onFolded: (hits: number) => void;
  /** As in createRecordHit. */
  readonly onSettled: (hit: Hit, settled: Settled) => void;
  readonly onFailure: (fault: Error) => void;
  /** Called after a row that is no valid hit has been stored as a dead event. */
  readonly onDead: (dead: DeadEvent) => void;
}

/**
 * For this long after the end of a token, and after a hit that came later was settled, the ledger reliably recognizes its
 * hits (half of DEDUPE_MARGIN_MS in ../ledger/lua/dedupe.lua); after that their event rows do (pending-hits.ts).
 */
const KNOWN_BY_TOKEN_MS = 5 * MS_PER_MINUTE;

/** How long a pass waits for the clock of a shard; a shard without an answer is left out of it. */
const CLOCK_TIMEOUT_MS = 500;
/** Each shard that folds uses a connection to Postgres. */
const MAX_SHARDS_AT_ONCE = 3;

const tokenEndMsOf = ({ ad }: Hit): number => ad.tokenExpS * 1000;

/**
 * Folds the hits that were stored in Postgres into the ledger, and advances the fold horizon of each
 * shard. Shards are independent: one whose hits cannot be folded, or whose node is unavailable,
 * keeps its own horizon and no other. A row that cannot be read becomes a dead event, and delays no
 * other hit.
 *
 * The fold horizon guarantees that every hit of the shard stored in Postgres before this moment of
 * Redis's clock has been settled. Only holds that ended before it are released, so an accepted hit
 * always finds its reservation and late hits cannot exceed a cap. While Postgres is unavailable the
 * horizon does not advance and holds stay, which may deliver less, never more.
 *
 * When Redis counted a hit but its reply was lost, the hit is both in the stream and in Postgres.
 * So is a hit that was sent again while Redis was available, and one that was folded by a call whose reply was lost. The ledger
 * recognizes all of them by the token while that is remembered. After that, a hit is folded only when its shard's stream holds
 * no entry that is older than the last minutes, which Redis recognizes: if it was in the stream, it has its event row by now
 * and is deleted. After a loss of data the same is true of all hits of ads that were served before it: no entry may be from
 * before the loss either.
 *
 * A click under judgement is judged long after the end of its token: Redis has it, or what was decided is on its way to its row.
 * After a loss Redis may not, and the click is settled again, when no judgement is on its way.
 */
export const createFold = (options: FoldOptions) => {
  const {
    redis,
    link,
    keys,
    ledger,
    pending,
    booksSinceMs = () => 0,
    hitLimitsOf,
    everyMs = 1000,
    onAdvanced,
    onFolded,
    onSettled,
    onFailure,
    onDead,
  } = options;
  redis.defineCommand('serverTime', { lua: loadScript(new URL('../redis/lua/server-time.lua', import.meta.url)), numberOfKeys: 1 });
  const clock = redis as unknown as { serverTime(key: string): Promise<number> };
  const shards = Array.from({ length: keys.shards }, (_, shard) => shard);
  /** The shards of each scope: one server has one clock, and takes what is for all of them in one message. */
  const scopes = Array.from({ length: scopesOf(redis, keys) }, (_, scope) =>
    shards.filter((shard) => scopeOfShard(redis, shard) === scope),
  );
  const folding = new Set<number>();
  const queue = new PQueue({ concurrency: MAX_SHARDS_AT_ONCE });
  let stopping = false;

  const readUnstored = createReadUnstored({ redis, keys });
  const oldestEventMs = async (shard: number): Promise<number> => entryMs((await readUnstored(shard)).oldest);

  /** Resolves to whether the hit has been counted, now or before. */
  const settleLate = async (hit: Hit, impressionAtMs: number | undefined): Promise<boolean> => {
    const limits = hitLimitsOf(hit);
    const settled = limits && (await ledger.settle(hit, limits, { late: true, impressionAtMs }));
    if (settled) onSettled(hit, settled);
    return settled !== undefined;
  };

  const clockOf = async (shard: number): Promise<number | undefined> => {
    try {
      return await answerWithin(CLOCK_TIMEOUT_MS, clock.serverTime(keys.horizon(shard)));
    } catch (fault) {
      link.suspect(shard);
      onFailure(fault as Error);
      return undefined;
    }
  };

  /** Folds the hits of a shard. Resolves to whether none is left. */
  const foldShard = async (shard: number): Promise<boolean> => {
    let folded = 0;
    let complete = true;
    let afterId: string | undefined = '0';
    while (afterId !== undefined) {
      if (stopping || !link.upOf(shard)) return false;
      // Of each page: minutes may pass before the last.
      const nowMs = await clockOf(shard);
      if (nowMs === undefined) return false;
      // Read before the rows: an entry that leaves the stream later has its row when the row is
      // looked up.
      const oldestMs = await oldestEventMs(shard);
      const page: FoldedPage | undefined = await pending.foldPage(shard, afterId, async (hits, eventRows) => {
        const sinceMs = booksSinceMs(shard);
        const isForgotten = (hit: Hit): boolean => hit.ad.servedAtMs < sinceMs;
        const isPast = (hit: Hit): boolean => nowMs > tokenEndMsOf(hit) + KNOWN_BY_TOKEN_MS;
        const old = hits.filter((hit) => isPast(hit) || isForgotten(hit));
        const rows = new Map((await eventRows.states(old)).map((state, i) => [old[i], state]));
        // Or that an ad was not used, whose place is another's now.
        const held = old.filter((hit) => hit.kind === 'impression' && hit.invalidReason === '' && takesFromHold(hit));
        const released = await eventRows.released(held);
        const givenBack = new Set(held.filter(({ ad }) => released.has(ad.tokenId)));
        // The ledger may have forgotten the impression of an old hit that needs one.
        const following = old.filter((hit) => hit.kind === 'click' || (hit.kind === 'event' && billsHit(hit)));
        const seenAtMs = new Map((await eventRows.impressionTimes(following)).map((atMs, i) => [following[i], atMs]));
        const settled = await Promise.allSettled(
          hits.map(async (hit) => {
            const row = rows.get(hit);
            if (row === 'final' || (row === 'provisional' && !isForgotten(hit))) return true;
            if (givenBack.has(hit)) return true;
            // What Redis took before it lost data is older in the stream, and so is what it took and has forgotten.
            const knownMs = Math.max(isForgotten(hit) ? sinceMs : 0, nowMs - KNOWN_BY_TOKEN_MS);
            if (rows.has(hit) && oldestMs <= knownMs) return false;
            const counted = await settleLate(hit, seenAtMs.get(hit));
            if (counted) folded++;
            return counted;
          }),
        );
        for (const one of settled) if (one.status === 'rejected') onFailure(one.reason as Error);
        return settled.map((one) => one.status === 'fulfilled' && one.value);
      });
      if (page === undefined) return false;
      page.dead.forEach(onDead);
      complete &&= page.complete;
      afterId = page.lastId;
    }
    if (folded > 0) onFolded(folded);
    return complete;
  };

  const advance = async (shards: readonly number[], horizonMs: number): Promise<void> => {
    try {
      const pipeline = redis.pipeline();
      for (const shard of shards) pipeline.set(keys.horizon(shard), horizonMs, 'PX', IDLE_KEY_TTL_MS);
      const replies = await pipeline.exec();
      const fault = replies?.find(([error]) => error)?.[0];
      if (fault) throw fault;
      for (const shard of shards) onAdvanced?.(shard, horizonMs);
    } catch (fault) {
      onFailure(fault as Error);
    }
  };

  const foldThenAdvance = async (shard: number, horizonMs: number): Promise<void> => {
    try {
      if (await foldShard(shard)) await advance([shard], horizonMs);
    } catch (fault) {
      onFailure(fault as Error);
    } finally {
      folding.delete(shard);
    }
  };

  const pass = async (): Promise<void> => {
    const free = scopes
      .map((own) => own.filter((shard) => link.upOf(shard) && !folding.has(shard)))
      .filter(([first]) => first !== undefined);
    if (free.length === 0) return;
    const clocks = await Promise.all(free.map(([first = 0]) => clockOf(first)));
    // Read after the clocks: a hit that is stored later is stored after the horizon.
    const waiting = await pending.waitingShards(keys.shards);
    const advances = free.map(async (own, i) => {
      const horizonMs = clocks[i];
      if (horizonMs === undefined) return;
      for (const shard of own.filter((one) => waiting.has(one))) {
        folding.add(shard);
        void queue.add(() => foldThenAdvance(shard, horizonMs));
      }
      await advance(
        own.filter((shard) => !waiting.has(shard)),
        horizonMs,
      );
    });
    await Promise.all(advances);
  };

  const rounds = createRounds({ round: pass, pauseMs: everyMs, onFailure });

  return {
    start: rounds.start,
    stop: async (): Promise<void> => {
      stopping = true;
      await rounds.stop();
      await queue.onIdle();
    },
  };
};

export type Fold = ReturnType<typeof createFold>;
