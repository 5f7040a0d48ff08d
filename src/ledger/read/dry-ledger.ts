import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { Allowances } from '../allowances/allowances.ts';
import { decideInTurn } from '../allowances/decide-locally.ts';
import { isUnbounded } from '../limits.ts';
import type { ReservationMoments } from '../reservation.ts';
import type { LimitReading, LimitsQuestion, ReadLimits } from './read-limits.ts';

/**
 * A candidate with the ledger's verdict (0: it would be reserved) and the current values of its
 * limits; undefined: the counters are unavailable.
 */
export interface JudgedCandidate {
  readonly candidate: RankedCandidate;
  readonly reason: NoBidReason | 0;
  readonly reading: LimitReading | undefined;
}

export type JudgeLimits = (question: LimitsQuestion) => Promise<readonly JudgedCandidate[]>;

export interface DryLedgerOptions {
  readonly readLimits: ReadLimits;
  /** False: the counters are not read, because Redis is unavailable. */
  readonly countersUp: () => boolean;
}

/**
 * Checks candidates against the ledger's limits without reserving. If the counters are unavailable,
 * a candidate that has a limit is refused.
 */
export const createJudgeLimits =
  ({ readLimits, countersUp }: DryLedgerOptions): JudgeLimits =>
  async (question) => {
    // Redis may fail meanwhile; its client logs that.
    const readings = countersUp() ? await readLimits(question).catch(() => undefined) : undefined;
    return question.candidates.map((candidate, i) => {
      const reading = readings?.[i];
      const uncounted = isUnbounded(candidate.lineItem, candidate.campaign) ? 0 : NoBidReason.CountersUnavailable;
      return { candidate, reason: reading?.nbr ?? uncounted, reading };
    });
  };

const NO_MOMENTS: ReservationMoments = { tokenExpS: 0, holdEndMs: 0, day: 0 };

/** A ledger that reserves nothing: it answers as `reserve` would, for dry runs. */
export const createDryReserve =
  (judgeLimits: JudgeLimits): Allowances['reserve'] =>
  async ({ publisherId, userHash, curve, imps }) => {
    const judged = await Promise.all(imps.map((candidates) => judgeLimits({ publisherId, userHash, curve, candidates })));
    const reasons = new Map(judged.flat().map(({ candidate, reason }) => [candidate, reason]));
    return decideInTurn(imps, (candidate) => reasons.get(candidate) || NO_MOMENTS);
  };
