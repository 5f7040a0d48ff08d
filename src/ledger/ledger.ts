import type { PidGains } from '../config/settings.ts';
import type { NoBidReason } from '../decision/no-bid-reason.ts';
import { answerWithin } from '../redis/answer-within.ts';
import { batchCalls } from '../redis/batch-calls.ts';
import { encodeCandidate } from './reserve/encode-candidate.ts';
import { encodeSettle, settleKeys, type HitLimits } from './settle/encode-settle.ts';
import type { Hit, Settled } from './hit.ts';
import type { LedgerKeys } from './ledger-keys.ts';
import { loadScript, type ScriptClock } from '../redis/load-script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import type { Reservation, ReserveRequest, ReservedImp } from './reservation.ts';

/** Every count that a decision depends on. Both calls answer undefined, without waiting, when Redis cannot be counted on. */
export interface Ledger {
  reserve(request: ReserveRequest): Promise<Reservation | undefined>;
  settle(hit: Hit, limits: HitLimits, options?: { readonly late?: boolean }): Promise<Settled | undefined>;
}

export interface LedgerOptions {
  readonly redis: RedisClient;
  readonly link: RedisLink;
  readonly keys: LedgerKeys;
  readonly tokenTtlMs: number;
  readonly pid: PidGains;
  readonly clock?: ScriptClock;
  /** How long a call waits for Redis; undefined: as long as any command of this connection. */
  readonly patienceMs?: number;
  /** Told of every failed call, by script and error name. */
  readonly onFailure?: (script: 'reserve' | 'settle', fault: Error) => void;
}

/** Reservations that end together share a hold; this many buckets stand for the life of a token. */
const BUCKETS_PER_TTL = 30;

interface Scripts {
  reserveAds(keyCount: number, ...args: string[]): Promise<string[]>;
  settleHits(keyCount: number, ...args: string[]): Promise<string[]>;
}

interface SettleCall {
  readonly hit: Hit;
  readonly limits: HitLimits;
  readonly late: boolean;
}

export const createLedger = ({ redis, link, keys, tokenTtlMs, pid, clock, patienceMs, onFailure }: LedgerOptions): Ledger => {
  redis.defineCommand('reserveAds', { lua: loadScript(new URL('./reserve/reserve.lua', import.meta.url), clock) });
  redis.defineCommand('settleHits', { lua: loadScript(new URL('./settle/settle.lua', import.meta.url), clock) });
  const scripts = redis as unknown as Scripts;
  const bucketMs = Math.max(1, Math.ceil(tokenTtlMs / BUCKETS_PER_TTL));
  const settings = JSON.stringify([tokenTtlMs, bucketMs, pid.kp, pid.ki, pid.kd]);

  const sendReserves = async (requests: readonly ReserveRequest[]): Promise<readonly Reservation[]> => {
    const args: string[] = [];
    for (const { publisherId, userHash } of requests) {
      const accounts = keys.accounts(publisherId);
      const shard = keys.shardOf(publisherId);
      args.push(accounts, userHash === null ? accounts : keys.places(publisherId, userHash), keys.serves(shard), keys.horizon(shard));
    }
    const keyCount = args.length;
    args.push(settings);
    for (const request of requests) args.push(encodeRequest(request));
    return (await answerWithin(patienceMs, scripts.reserveAds(keyCount, ...args))).map(decodeReservation);
  };

  const sendSettles = async (calls: readonly SettleCall[]): Promise<readonly Settled[]> => {
    const args = calls.flatMap(({ hit }) => settleKeys(keys, hit));
    const keyCount = args.length;
    for (const { hit, limits, late } of calls) args.push(encodeSettle(hit, limits, late), JSON.stringify(hit));
    return (await answerWithin(patienceMs, scripts.settleHits(keyCount, ...args))).map(decodeSettled);
  };

  const reserveIn = createLanes(redis, keys, sendReserves);
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
    settle: (hit, limits, { late = false } = {}) => {
      const shard = keys.shardOf(hit.ad.publisherId);
      return guarded('settle', shard, () => settleIn(shard)({ hit, limits, late }));
    },
  };
};

/** A script call reaches one slot of a cluster, so there each shard gathers its own calls; a single server takes those of all shards in one. */
const createLanes = <Call, Answer>(
  redis: RedisClient,
  keys: LedgerKeys,
  send: (calls: readonly Call[]) => Promise<readonly Answer[]>,
): ((shard: number) => (call: Call) => Promise<Answer>) => {
  const lanes = Array.from({ length: redis.isCluster ? keys.shards : 1 }, () => batchCalls(send));
  return (shard) => lanes[shard % lanes.length]!;
};

const encodeRequest = ({ expiresAtMs, userHash, curve, imps }: ReserveRequest): string => {
  // The user's places are read only for a candidate that asks.
  const readPlaces = userHash !== null && imps.some((candidates) => candidates.some(({ lineItem }) => lineItem.frequencyCap));
  const { hourStartMs, shareBefore, shareOfHour } = curve;
  const head = `[${Math.ceil(expiresAtMs / 1000)},${readPlaces},${hourStartMs},${shareBefore},${shareOfHour}]`;
  // An impression without candidates still needs its line; ';' is one with nothing in it.
  return `${head}\n${imps.map((candidates) => candidates.map(encodeCandidate).join(';') || ';').join('\n')}`;
};

const decodeReservation = (reply: string): Reservation => {
  const [head = '', ...lines] = reply.split('\n');
  const [nowMs = 0, tokenExpS = 0, holdEndMs = 0, day = 0] = head.split(' ').map(Number);
  return { nowMs, tokenExpS, holdEndMs, day, imps: lines.map(decodeImp) };
};

const decodeSettled = (reply: string): Settled => {
  const [outcome, billedMicros, foundHold] = reply.split(' ');
  return { outcome: outcome as Settled['outcome'], billedMicros: Number(billedMicros), foundHold: foundHold === '1' };
};

const decodeImp = (line: string): ReservedImp => {
  const [winner = -1, ...refused] = line.split(' ').map(Number);
  return { winner, refused: refused as NoBidReason[] };
};
