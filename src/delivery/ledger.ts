import type { PidGains } from '../config/settings.ts';
import type { NoBidReason } from '../decision/no-bid-reason.ts';
import { answerWithin } from './answer-within.ts';
import { batchCalls } from './batch-calls.ts';
import { encodeCandidate } from './encode-candidate.ts';
import { encodeSettle, type HitLimits } from './encode-settle.ts';
import type { Hit, Settled } from './hit.ts';
import type { LedgerKeys } from './ledger-keys.ts';
import { loadScript, type ScriptClock } from './load-script.ts';
import type { RedisClient } from './redis-client.ts';
import type { RedisLink } from './redis-link.ts';
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
  reserveAds(keyCount: number, ...args: (string | number)[]): Promise<string[]>;
  settleHit(keyCount: number, ...args: (string | number)[]): Promise<[Settled['outcome'], number, number]>;
}

export const createLedger = ({ redis, link, keys, tokenTtlMs, pid, clock, patienceMs, onFailure }: LedgerOptions): Ledger => {
  redis.defineCommand('reserveAds', { lua: loadScript('reserve', clock) });
  redis.defineCommand('settleHit', { lua: loadScript('settle', clock) });
  const scripts = redis as unknown as Scripts;
  const bucketMs = Math.max(1, Math.ceil(tokenTtlMs / BUCKETS_PER_TTL));
  const settings = JSON.stringify([tokenTtlMs, bucketMs, pid.kp, pid.ki, pid.kd]);

  const sendReserves = async (shard: number, requests: readonly ReserveRequest[]): Promise<readonly Reservation[]> => {
    const args: string[] = [keys.serves(shard), keys.horizon(shard)];
    for (const { publisherId, userHash } of requests) {
      const accounts = keys.accounts(publisherId);
      args.push(accounts, userHash === null ? accounts : keys.places(publisherId, userHash));
    }
    const keyCount = args.length;
    args.push(settings);
    for (const request of requests) args.push(encodeRequest(request));
    return (await answerWithin(patienceMs, scripts.reserveAds(keyCount, ...args))).map(decodeReservation);
  };

  const reserveIn = Array.from({ length: keys.shards }, (_, shard) =>
    batchCalls((requests: readonly ReserveRequest[]) => sendReserves(shard, requests)),
  );

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
      const reserve = reserveIn[shard];
      return guarded('reserve', shard, () => reserve(request));
    },
    settle: (hit, limits, { late = false } = {}) =>
      guarded('settle', keys.shardOf(hit.ad.publisherId), async () => {
        const [outcome, billedMicros, foundHold] = await answerWithin(
          patienceMs,
          scripts.settleHit(...encodeSettle(keys, hit, limits, late)),
        );
        return { outcome, billedMicros, foundHold: foundHold === 1 };
      }),
  };
};

const encodeRequest = ({ publisherId, expiresAtMs, userHash, curve, imps }: ReserveRequest): string => {
  // The user's places are read only for a candidate that asks.
  const readPlaces = userHash !== null && imps.some((candidates) => candidates.some(({ lineItem }) => lineItem.frequencyCap));
  const { hourStartMs, shareBefore, shareOfHour } = curve;
  const head = `["${publisherId}",${Math.ceil(expiresAtMs / 1000)},${readPlaces},${hourStartMs},${shareBefore},${shareOfHour}]`;
  // An impression without candidates still needs its line; ';' is one with nothing in it.
  return `${head}\n${imps.map((candidates) => candidates.map(encodeCandidate).join(';') || ';').join('\n')}`;
};

const decodeReservation = (reply: string): Reservation => {
  const [head = '', ...lines] = reply.split('\n');
  const [nowMs = 0, tokenExpS = 0, holdEndMs = 0, day = 0] = head.split(' ').map(Number);
  return { nowMs, tokenExpS, holdEndMs, day, imps: lines.map(decodeImp) };
};

const decodeImp = (line: string): ReservedImp => {
  const [winner = -1, ...refused] = line.split(' ').map(Number);
  return { winner, refused: refused as NoBidReason[] };
};
