import type { NoBidReason } from '../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { SiblingCounts } from '../catalog/snapshot/siblings.ts';
import type { TrafficCurve } from '../catalog/snapshot/traffic-curve.ts';

/** The candidates that one ad request offers to the ledger. */
export interface ReserveRequest {
  readonly publisherId: number;
  /**
   * Keyed hash of the user; null when the user id may not be used, and candidates with a frequency
   * cap are refused.
   */
  readonly userHash: string | null;
  /** Who asks (AdRequest.client), when the holds must be earned (lua/clients.lua). */
  readonly client?: string | undefined;
  readonly curve: TrafficCurve;
  /** Of a campaign by its id, for those with a budget; undefined: not known. */
  readonly siblingsOf?: ((campaignId: number) => SiblingCounts) | undefined;
  /** When this publisher's accounts expire: the end of its last flight plus a margin. */
  readonly expiresAtMs: number;
  /** The longest life of its holds; undefined: that of their tokens. */
  readonly maxHoldMs?: number | undefined;
  /** Per impression, candidates in order of preference. */
  readonly imps: readonly (readonly RankedCandidate[])[];
  /** Its ads are shown beside those of other requests with the same page view (lua/page.lua). */
  readonly pageView?: string | undefined;
  /** Per impression its placement, where a page view may keep the ads of a roadblock for it; undefined: none does. */
  readonly placementIds?: readonly string[] | undefined;
  /** Of which candidates more ads are wanted, should they win (allowances/). */
  readonly wants?: ReadonlyMap<RankedCandidate, WantedLots>;
}

/** Ads that a replica would hand out by itself: soon, and in an outage of Redis. */
export interface WantedLots {
  readonly lot: number;
  readonly spare: number;
}

export interface GrantedLots extends WantedLots {
  /** Redis's clock at the reservation, epoch ms. */
  readonly redisMs: number;
}

export interface KeptReservation {
  readonly creativeId: number;
  /** At which it was reserved. */
  readonly priceMicros: number;
}

/** The candidate that an impression is reserved for by this request. */
export const winnerOf = (candidates: readonly RankedCandidate[], { winner, bound }: ReservedImp): RankedCandidate | undefined =>
  bound ?? candidates[winner];

export interface Reservation {
  readonly imps: readonly ReservedImp[];
}

/** When a reservation ends. All times by Redis's clock. */
export interface ReservationMoments {
  /** End of the token that carries this reservation, in epoch seconds as in JWT. */
  readonly tokenExpS: number;
  /** The bucket of the hold; the token carries it so that the impression finds its hold. */
  readonly holdEndMs: number;
  /** Day of the publisher, in days since 1970-01-01, to which all counts of this selection belong. */
  readonly day: number;
}

export interface ReservedImp {
  /** Position in the candidates given, or -1. */
  readonly winner: number;
  /** The ad of a roadblock that has won an earlier impression; undefined: there is none. */
  readonly bound?: RankedCandidate | undefined;
  /** The ad of a roadblock that an earlier request of the page view has reserved; undefined: there is none. */
  readonly kept?: KeptReservation | undefined;
  /** Of the winner; undefined without one. */
  readonly moments: ReservationMoments | undefined;
  /**
   * Why each candidate before the winner was refused (all of them without a winner), in their
   * order.
   */
  readonly refused: readonly NoBidReason[];
  /** Of the winner, when more of its ads were wanted. */
  readonly granted: GrantedLots | undefined;
}
