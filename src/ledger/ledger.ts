import type { PidGains } from '../config/settings.ts';
import { answerWithin } from '../redis/answer-within.ts';
import { defineFunction } from '../redis/define-function.ts';
import { batchCalls, type BatchOptions } from '../redis/batch-calls.ts';
import { createCandidateEncoder } from './reserve/encode-candidate.ts';
import { decodeReservation, encodeReserve, encodeReserveSettings, RESERVE_LUA } from './reserve/encode-reserve.ts';
import { decodeSettled, encodeSettles, SETTLE_LUA, type HitLimits, type SettleCall } from './settle/encode-settle.ts';
import type { Hit, Settled } from './hit.ts';
import type { LedgerKeys } from './ledger-keys.ts';
import { loadScript } from '../redis/load-script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import type { Reservation, ReserveRequest } from './reservation.ts';

/**
 * All counts that a decision depends on. Both calls resolve to undefined without waiting when Redis
 * is unavailable.
 */
export interface Ledger {
  reserve(request: ReserveRequest): Promise<Reservation | undefined>;
  settle(hit: Hit, limits: HitLimits, options?: SettleOptions): Promise<Settled | undefined>;
}

export interface SettleOptions {
  /** The hit was accepted at its `atMs`, while Redis was unavailable. */
  readonly late?: boolean;
  /** When the impression of a click was counted, if its event row says so. */
  readonly impressionAtMs?: number | undefined;
}

export interface LedgerOptions {
  readonly redis: RedisClient;
  readonly link: RedisLink;
  readonly keys: LedgerKeys;
  readonly tokenTtlMs: number;
  readonly pid: PidGains;
  /** Of loadScript. */
  readonly clock?: string;
  /** Timeout of a call; undefined: the command timeout of this connection. */
  readonly patienceMs?: number;
  /** Called for every failed call. */
  readonly onFailure?: (script: 'reserve' | 'settle', fault: Error) => void;
}

/**
 * Candidates that one script call checks, at 3.5 to 10 µs each (paced ones cost most): more would
 * delay the requests of others. The calls of a turn are split by it, and one request offers no more
 * at a time (serving/reserve-winners.ts).
 */
export const MAX_CANDIDATES_PER_CALL = 256;

const candidatesOf = ({ imps }: ReserveRequest): number => imps.reduce((sum, candidates) => sum + candidates.length, 0);

export const createLedger = ({ redis, link, keys, tokenTtlMs, pid, clock, patienceMs, onFailure }: LedgerOptions): Ledger => {
  const load = (path: string, generated: readonly string[]) => loadScript(new URL(path, import.meta.url), { clock, generated });
  const reserveAds = defineFunction<string[]>(redis, {
    name: 'ads_reserve',
    lua: load('./reserve/reserve.lua', RESERVE_LUA),
    entry: 'reserve_ads',
  });
  const settleHits = defineFunction<string[]>(redis, {
    name: 'ads_settle',
    lua: load('./settle/settle.lua', SETTLE_LUA),
    entry: 'settle_hits',
  });
  const settings = encodeReserveSettings({ tokenTtlMs, ...pid });
  const encodeCandidate = createCandidateEncoder();

  const sendReserves = async (requests: readonly ReserveRequest[]): Promise<readonly Reservation[]> => {
    const call = encodeReserve(requests, { keys, settings, encodeCandidate });
    return (await answerWithin(patienceMs, reserveAds(call.keys.length, ...call.keys, ...call.args))).map(decodeReservation);
  };

  const sendSettles = async (calls: readonly SettleCall[]): Promise<readonly Settled[]> => {
    const call = encodeSettles(calls, keys);
    return (await answerWithin(patienceMs, settleHits(call.keys.length, ...call.keys, ...call.args))).map(decodeSettled);
  };

  const reserveIn = createLanes(redis, keys, sendReserves, { weigh: candidatesOf, maxWeight: MAX_CANDIDATES_PER_CALL });
  const settleIn = createLanes(redis, keys, sendSettles);

  const guarded = async <T>(script: 'reserve' | 'settle', shard: number, call: () => Promise<T>): Promise<T | undefined> => {
    if (!link.upOf(shard)) return undefined;
    try {
      return await call();
    } catch (fault) {
      link.suspect(shard);
      onFailure?.(script, fault as Error);
      return undefined;
    }
  };

  return {
    reserve: (request) => {
      const shard = keys.shardOf(request.publisherId);
      return guarded('reserve', shard, () => reserveIn(shard)(request));
    },
    settle: (hit, limits, { late = false, impressionAtMs } = {}) => {
      const shard = keys.shardOf(hit.ad.publisherId);
      return guarded('settle', shard, () => settleIn(shard)({ hit, limits, late, impressionAtMs }));
    },
  };
};

/**
 * A script call reaches one cluster slot, so in a cluster each shard gathers its own calls. A
 * single server takes the calls of all shards together.
 */
const createLanes = <Call, Answer>(
  redis: RedisClient,
  keys: LedgerKeys,
  send: (calls: readonly Call[]) => Promise<readonly Answer[]>,
  options: BatchOptions<Call> = {},
): ((shard: number) => (call: Call) => Promise<Answer>) => {
  const lanes = Array.from({ length: redis.isCluster ? keys.shards : 1 }, () => batchCalls(send, options));
  return (shard) => lanes[shard % lanes.length]!;
};
