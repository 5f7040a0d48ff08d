import type { Turn } from '../catalog/snapshot/snapshot.ts';
import type { PodShare } from './pod.ts';
import type { Booking } from '../catalog/model/entities.ts';

/**
 * The price of a candidate in an auction, micros per thousand impressions: the value that the
 * trafficker gives it, else its eCPM. 0: unknown.
 */
export const priceInAuction = ({ lineItem, ecpmMicros = 0 }: Booking & { readonly ecpmMicros?: number }): number =>
  (lineItem.type === 'direct' ? lineItem.valueCpmMicros : null) ?? ecpmMicros;

/**
 * One creative that could fill an impression, with its ranking figures and the cost of one
 * impression.
 */
export interface RankedCandidate extends Booking {
  /** Micros per thousand impressions: the ranking value, and the price in the answer. */
  readonly ecpmMicros: number;
  /**
   * Held until it is billed, in whole micros: on the impression a thousandth of the CPM, with CPCV the price of the completed
   * view; 0 when nothing is held.
   */
  readonly priceMicros: number;
  /**
   * What pacing divides a budget by: what is held for an impression, or its expected revenue where nothing is held.
   */
  readonly expectedMicros: number;
  /** The expected click-through rate, for a goal of clicks; 0 or undefined: it is not known. */
  readonly clickRate?: number | undefined;
  /**
   * Of a line item that yields to bidders, where a bid was there: the CPM in micros above which it
   * does; Infinity: not now.
   */
  readonly opportunityMicros?: number | undefined;
  /** Position in the candidate index; -1 for a bid. */
  readonly position: number;
  /** Position in the bids that were ranked with it; -1 for a direct line item. */
  readonly bid: number;
  /** Of a sequence. */
  readonly turn?: Turn | undefined;
  /** Of a roadblock: the ads that are shown with it, or none is. */
  readonly block?: Block | undefined;
  /** Where it is offered to an impression of a pod. */
  readonly inPod?: PodShare | undefined;
}

/** The other ads of a roadblock, which wins or loses at the first of its impressions. */
export interface Block {
  /** In other impressions of the request, by their positions. */
  readonly bound: readonly BoundAd[];
  /** On placements that a later request of the page view asks for. */
  readonly kept: readonly KeptAd[];
}

export interface BoundAd {
  readonly imp: number;
  readonly candidate: RankedCandidate;
}

export interface KeptAd {
  readonly placementId: string;
  readonly candidate: RankedCandidate;
}

/** How many ads are shown with a candidate, itself included. */
export const adsOf = ({ block }: Pick<RankedCandidate, 'block'>): number =>
  block === undefined ? 1 : 1 + block.bound.length + block.kept.length;

/** The ads that are shown with a candidate, itself first. */
export const allAdsOf = (candidate: RankedCandidate): readonly RankedCandidate[] =>
  candidate.block === undefined
    ? [candidate]
    : [candidate, ...candidate.block.bound.map((ad) => ad.candidate), ...candidate.block.kept.map((ad) => ad.candidate)];
