import type { BidOutcome } from './bid-outcome.ts';

/** In the order of the gauge's values: 0, 1, 2. */
export const CIRCUIT_STATES = ['closed', 'half_open', 'open'] as const;
export type CircuitState = (typeof CIRCUIT_STATES)[number];

export const NOTICE_KINDS = ['win', 'billing', 'loss'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 * dropped: too many were waiting. refused: the URL or its address is not allowed. foreign_host: its
 * host is neither the endpoint's nor listed for the line item.
 */
export const NOTICE_OUTCOMES = ['sent', 'failed', 'dropped', 'refused', 'foreign_host'] as const;
export type NoticeOutcome = (typeof NOTICE_OUTCOMES)[number];

/**
 * What became of the impressions that a bidder was offered. skipped: calls that were not sent, because
 * it is often slow; refused: bids that break a rule; wins: bids that were served.
 */
export const BIDDER_STEPS = ['calls', 'skipped', 'timeouts', 'impressions', 'bids', 'refused', 'wins'] as const;
export type BidderStep = (typeof BIDDER_STEPS)[number];

/** Those of one impression. timeouts: its bidder ran out of time. */
export const IMPRESSION_STEPS = ['impressions', 'timeouts', 'bids', 'refused', 'wins'] as const satisfies readonly BidderStep[];
export type ImpressionStep = (typeof IMPRESSION_STEPS)[number];

/** An impression that a bidder was offered, or a deal that was offered for it. */
export interface BidderOffer {
  readonly publisherId: number;
  readonly placementId: string;
  /** null: the endpoint of a line item. */
  readonly bidderId: number | null;
  /** undefined: the impression as a whole. */
  readonly dealId: string | undefined;
}

/**
 * Receives measurements: called once per occurrence, with labels from closed sets. Its functions
 * must not throw.
 */
export interface BidderObserver {
  /**
   * A bidder was called, or skipped because of its URL or its circuit. `accepted`: its response
   * could be read, with or without bids.
   */
  readonly call: (outcome: BidOutcome, durationMs: number) => void;
  /** A bid was read from a response. */
  readonly bid: (outcome: BidOutcome) => void;
  /**
   * `bidder` is the label of an endpoint (`bidderLabel`), of at most `MAX_ENDPOINTS` at a time; null: the
   * endpoint was evicted, drop its series.
   */
  readonly circuit: (bidder: string, state: CircuitState | null) => void;
  /** How many; `bidder` as above. */
  readonly step: (bidder: string, step: BidderStep, count: number) => void;
  /** One more at a step. @param outcome of a bid that was refused; undefined at any other step */
  readonly impression: (offer: BidderOffer, step: ImpressionStep, outcome: BidOutcome | undefined) => void;
  /** The part of its calls that a bidder gets, 0 to 1. */
  readonly askedShare: (bidder: string, share: number) => void;
  readonly notice: (kind: NoticeKind, outcome: NoticeOutcome) => void;
}
