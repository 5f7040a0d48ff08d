import type { NoBidReason } from '../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { TrafficCurve } from '../catalog/snapshot/traffic-curve.ts';

/** What one ad request wants to take from the ledger. */
export interface ReserveRequest {
  readonly publisherId: number;
  /** Keyed hash of the user, or null when no user may be remembered: candidates with a frequency cap are then refused. */
  readonly userHash: string | null;
  readonly curve: TrafficCurve;
  /** When this publisher's accounts may be forgotten: the end of its last flight plus a margin. */
  readonly expiresAtMs: number;
  /** Per impression, candidates in the order in which they should win. */
  readonly imps: readonly (readonly RankedCandidate[])[];
}

/** What was taken. All moments by Redis's clock. */
export interface Reservation {
  /** When the token that carries this reservation must end, in epoch seconds as JWT counts. */
  readonly tokenExpS: number;
  /** The bucket in which the hold stands; the token carries it so that the impression finds its hold. */
  readonly holdEndMs: number;
  /** UTC day, in days since the epoch, to which everything that follows from this selection is counted. */
  readonly day: number;
  readonly imps: readonly ReservedImp[];
}

export interface ReservedImp {
  /** Position in the candidates given, or -1. */
  readonly winner: number;
  /** Why each candidate before the winner (or each of all) was refused, in their order. */
  readonly refused: readonly NoBidReason[];
}
