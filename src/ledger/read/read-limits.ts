import type { PidGains } from '../../config/settings.ts';
import type { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { encodeCandidate } from '../reserve/encode-candidate.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import { loadScript, type ScriptClock } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import type { TrafficCurve } from '../../catalog/snapshot/traffic-curve.ts';

export interface LimitsQuestion {
  readonly publisherId: number;
  /** null: no user may be remembered, so a candidate with a frequency cap is refused. */
  readonly userHash: string | null;
  readonly curve: TrafficCurve;
  readonly candidates: readonly RankedCandidate[];
}

/** What the limits of one candidate stand at, and whether they would let it be reserved. Money in micros. */
export interface LimitReading {
  /** 0: it would be reserved. */
  readonly nbr: NoBidReason | 0;
  readonly impressionsToday: number;
  readonly heldToday: number;
  readonly spendTodayMicros: number;
  readonly heldTodayMicros: number;
  readonly totalSpendMicros: number;
  readonly heldMicros: number;
  readonly campaignSpendMicros: number;
  readonly campaignHeldMicros: number;
  /** Of the user, under the frequency cap; null: it has none, or there is no user. */
  readonly placesHeld: number | null;
  /** In the bucket of the rate limit; null: it has none. */
  readonly rateTokens: number | null;
  /** null when it is not paced, or has nothing to be paced by. */
  readonly pacing: {
    /** Selections that would be allowed at once. */
    readonly allowance: number;
    /** Impressions of the whole day. */
    readonly goal: number;
    /** Of these, by now. */
    readonly due: number;
  } | null;
}

/** The limits as the ledger sees them, in the order asked, without taking anything. Rejects when Redis is away. */
export type ReadLimits = (question: LimitsQuestion) => Promise<readonly LimitReading[]>;

interface Script {
  readLimits(keyCount: number, ...args: string[]): Promise<[number, ...number[][]]>;
}

export interface LimitReaderOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly pid: PidGains;
  readonly clock?: ScriptClock;
}

export const createLimitReader = ({ redis, keys, pid, clock }: LimitReaderOptions): ReadLimits => {
  redis.defineCommand('readLimits', { lua: loadScript(new URL('./read-limits.lua', import.meta.url), clock) });
  const script = redis as unknown as Script;
  return async ({ publisherId, userHash, curve, candidates }) => {
    if (candidates.length === 0) return [];
    const accounts = keys.accounts(publisherId);
    const [, ...readings] = await script.readLimits(
      3,
      accounts,
      keys.horizon(keys.shardOf(publisherId)),
      userHash === null ? accounts : keys.places(publisherId, userHash),
      [pid.kp, pid.ki, pid.kd, userHash === null ? 0 : 1, curve.hourStartMs, curve.shareBefore, curve.shareOfHour].join(' '),
      ...candidates.map(encodeCandidate),
    );
    return readings.map(decode);
  };
};

const decode = (numbers: readonly number[]): LimitReading => {
  const at = (i: number): number => numbers[i]!;
  const orNull = (i: number): number | null => (at(i) < 0 ? null : at(i));
  return {
    nbr: at(0) as NoBidReason | 0,
    impressionsToday: at(1),
    heldToday: at(2),
    spendTodayMicros: at(3),
    heldTodayMicros: at(4),
    totalSpendMicros: at(5),
    heldMicros: at(6),
    campaignSpendMicros: at(7),
    campaignHeldMicros: at(8),
    placesHeld: orNull(9),
    rateTokens: at(10) < 0 ? null : at(10) / 1000,
    pacing: at(12) < 0 ? null : { allowance: at(11) / 1000, goal: at(12), due: at(13) },
  };
};
