import type { Campaign, Creative, Device, LineItem, Placement, Publisher } from '../catalog/model/entities.ts';
import type { NoBidReason } from '../decision/no-bid-reason.ts';
import type { BidOutcome } from './bid-outcome.ts';

/** A programmatic line item that could fill one impression, and the creative row that says which placement and format it fills. */
export interface BidInvitation {
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  readonly creative: Creative;
}

/** One impression for which bids are asked. */
export interface BidOpportunity {
  readonly impId: string;
  readonly placement: Placement;
  /** The size of this request: the placement's, or the one that the request asked for. */
  readonly width: number;
  readonly height: number;
  readonly invitations: readonly BidInvitation[];
}

/** Who is asking, already stripped of what a bidder may not know. */
export interface BidContext {
  readonly requestId: string;
  readonly publisher: Publisher;
  /** Keyed hash, never the publisher's own user id. */
  readonly userHash: string;
  readonly userAgent: string;
  readonly ip: string | null;
  readonly country: string | null;
  readonly device: Device | null;
  readonly pageUrl: string | null;
  readonly gdpr: boolean | null;
  readonly consent: string | null;
  readonly usPrivacy: string | null;
  /** The GPP string and its section ids, and whether the page or app is a child's, as received. */
  readonly gpp?: string | null;
  readonly gppSid?: readonly number[];
  readonly coppa?: boolean | null;
}

/** An accepted bid. `adm` already has its macros filled; for a native placement it is our assets as JSON. */
export interface Bid {
  readonly impId: string;
  readonly invitation: BidInvitation;
  readonly bidId: string;
  /** Micros per thousand impressions, > 0. */
  readonly cpmMicros: number;
  readonly adm: string;
  readonly adomain: readonly string[];
  readonly width: number | null;
  readonly height: number | null;
  readonly winNoticeUrl: string | null;
  readonly billingNoticeUrl: string | null;
  readonly lossNoticeUrl: string | null;
}

/**
 * A bidder that was invited and is not in the ranking, and why. `detail` is for the trace: short, never the bidder's own text, with the OpenRTB code
 * in it; `outcome` is the same as a word of a closed set, for metrics.
 */
export interface BidRefusal {
  readonly impId: string;
  readonly invitation: BidInvitation;
  readonly reason: NoBidReason;
  readonly detail: string;
  readonly outcome: BidOutcome;
  /** Non-bid status code of OpenRTB's seat-non-bid extension. */
  readonly seatNonBid: number;
}

export interface BidAnswers {
  readonly bids: readonly Bid[];
  readonly refusals: readonly BidRefusal[];
}

/** Programmatic demand. `ask` never rejects and never takes longer than the bidder timeout; an empty list of opportunities asks nobody. */
export interface Bidders {
  ask(opportunities: readonly BidOpportunity[], context: BidContext): Promise<BidAnswers>;
  /**
   * Tells bidders how their bids fared, without anyone waiting for it. `lossReason` is OpenRTB's loss reason code. Takes the very objects that `ask` gave:
   * line items that share an endpoint share a bid, which is told once, and never of a loss when one of them won.
   */
  notifyWin(bid: Bid): void;
  notifyLoss(bid: Bid, lossReason: number): void;
  /** A billed impression; the URL travels from the bid through the stored reservation. */
  notifyBilled(billingNoticeUrl: string): void;
  close(): Promise<void>;
}
