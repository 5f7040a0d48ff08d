import type { PidGains } from '../../config/settings.ts';
import type { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { CANDIDATE_LUA, createCandidateEncoder } from '../reserve/encode-candidate.ts';
import { CURVE_FIELDS, curveRecord } from '../reserve/encode-reserve.ts';
import type { ScriptOptions } from '../ledger-keys.ts';
import { defineScript } from '../../redis/define-script.ts';
import { loadScript } from '../../redis/load-script.ts';
import { scopeOfShard } from '../../redis/redis-client.ts';
import type { LedgerBooks } from '../books/ledger-books.ts';
import type { TrafficCurve } from '../../catalog/snapshot/traffic-curve.ts';
import { encodeRow, fromRow, luaReader, luaWriter } from '../../redis/script-fields.ts';

export interface LimitsQuestion {
  readonly publisherId: number;
  /** null: the user id may not be used, so candidates with a frequency cap are refused. */
  readonly userHash: string | null;
  readonly curve: TrafficCurve;
  readonly candidates: readonly RankedCandidate[];
}

const SUM_FIELDS = [
  'impressionsToday',
  'heldToday',
  'spendTodayMicros',
  'heldTodayMicros',
  // Over the flight, and of every day that has holds.
  'totalImpressions',
  'heldImpressions',
  'totalClicks',
  'totalSpendMicros',
  'heldMicros',
  'campaignSpendMicros',
  'campaignHeldMicros',
  'campaignSpendTodayMicros',
  'campaignHeldTodayMicros',
] as const;

/**
 * The current values of one candidate's limits, and whether they would let it be reserved. Money in
 * micros.
 */
export interface LimitReading extends Readonly<Record<(typeof SUM_FIELDS)[number], number>> {
  /** 0: it would be reserved. */
  readonly nbr: NoBidReason | 0;
  /** Which of its frequency caps leaves the user least; null: it has none, or there is no user. */
  readonly capAt: number | null;
  /** Of the user, under that cap. */
  readonly placesHeld: number | null;
  /**
   * When the user may be shown it again, if no impression confirms a held place before: epoch ms.
   * null: now, or there is no frequency cap or user.
   */
  readonly placeFreeAtMs: number | null;
  /** In the bucket of the rate limit; null: it has none. */
  readonly rateTokens: number | null;
  /** null when it is not paced, or has no goal for pacing. */
  readonly pacing: {
    /** Selections that would be allowed now. */
    readonly permits: number;
    /**
     * Impressions of the whole day. Under a campaign's budget: with an equal part of what is left
     * for the paced line items that have requests.
     */
    readonly goal: number;
    /** Impressions due by now, on the line from where pacing began today to the goal. */
    readonly due: number;
    /** Where pacing began today: the share of the day and the impressions committed. */
    readonly began: { readonly share: number; readonly impressions: number };
  } | null;
}

/**
 * Checks the limits as the ledger does, in the order of `candidates`. Reserves nothing. Rejects
 * when Redis is unavailable.
 */
export type ReadLimits = (question: LimitsQuestion) => Promise<readonly LimitReading[]>;

/** The inputs that all candidates of one call share. */
const QUESTION_FIELDS = ['epoch', 'kp', 'ki', 'kd', 'readsPlaces', ...CURVE_FIELDS] as const;

/** The fields that read-limits.lua returns for one candidate. */
const READING_FIELDS = [
  'nbr',
  ...SUM_FIELDS,
  'capAt',
  'placesHeld',
  'placeFreeAtMs',
  'rateThousandths',
  'permitsThousandths',
  'goal',
  'due',
  'beganMillionths',
  'beganWith',
] as const;

export interface LimitReaderOptions extends ScriptOptions {
  readonly pid: PidGains;
  /** As of the ledger. */
  readonly books?: Pick<LedgerBooks, 'epochOf'> | undefined;
}

export const createLimitReader = ({ redis, keys, pid, books, clock }: LimitReaderOptions): ReadLimits => {
  const generated = [...CANDIDATE_LUA, luaReader('question_record', QUESTION_FIELDS), luaWriter('reading_row', READING_FIELDS)];
  const lua = loadScript(new URL('./read-limits.lua', import.meta.url), { clock, generated });
  const readRows = defineScript<number[][]>(redis, 'readLimits', 4, lua);
  const encodeCandidate = createCandidateEncoder();
  return async ({ publisherId, userHash, curve, candidates }) => {
    if (candidates.length === 0) return [];
    const accounts = keys.accounts(publisherId);
    const scope = scopeOfShard(redis, keys.shardOf(publisherId));
    const readings = await readRows(
      accounts,
      keys.horizon(keys.shardOf(publisherId)),
      userHash === null ? accounts : keys.places(publisherId, userHash),
      keys.epochs(scope),
      encodeRow(QUESTION_FIELDS, {
        ...{ epoch: books?.epochOf(scope) ?? '', ...pid, readsPlaces: userHash !== null },
        ...curveRecord(curve),
      }),
      ...candidates.map((candidate) => encodeCandidate(candidate, undefined, curve.scheduled?.(candidate.lineItem, candidate.campaign))),
    );
    return readings.map(decodeReading);
  };
};

const decodeReading = (row: readonly number[]): LimitReading => {
  const { nbr, capAt, placesHeld, placeFreeAtMs, rateThousandths, permitsThousandths, goal, due, beganMillionths, beganWith, ...sums } =
    fromRow(READING_FIELDS, row);
  const began = { share: beganMillionths / 1e6, impressions: beganWith };
  return {
    ...sums,
    nbr: nbr as NoBidReason | 0,
    capAt: capAt < 0 ? null : capAt,
    placesHeld: placesHeld < 0 ? null : placesHeld,
    placeFreeAtMs: placeFreeAtMs < 0 ? null : placeFreeAtMs,
    rateTokens: rateThousandths < 0 ? null : rateThousandths / 1000,
    pacing: goal < 0 ? null : { permits: permitsThousandths / 1000, goal, due, began },
  };
};
