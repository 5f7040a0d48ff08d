import type { BlockList } from '../catalog/model/block-list.ts';
import type { Bidder, Booking, Placement, Publisher } from '../catalog/model/entities.ts';
import type { Device } from '../catalog/model/choices.ts';
import type { VideoRules } from '../catalog/model/video-rules.ts';
import type { Verdict } from '../context/consent/consent.ts';
import type { PrivacySignals } from '../context/consent/privacy-signals.ts';
import type { AdSize } from '../decision/ad-query.ts';
import type { NoticeKind } from './bidder-observer.ts';
import type { DsaAnswer, DsaRequest } from './openrtb/dsa.ts';
import type { SupplyChain } from './openrtb/supply-chain.ts';
import type { Pod } from '../decision/pod.ts';
import type { NoBidReason } from '../decision/no-bid-reason.ts';

/** One impression for which bids are requested. */
export interface BidOpportunity {
  readonly impId: string;
  readonly placement: Placement;
  /** The size of this request in CSS pixels: the placement's, or the one that the request names. */
  readonly width: number;
  readonly height: number;
  readonly otherSizes: readonly AdSize[];
  /** Micros per thousand impressions; 0: none. */
  readonly floorMicros: number;
  /** In a private auction, in its place for line items with one of these deals; undefined: it is not private. */
  readonly dealFloors?: ReadonlyMap<string, number> | undefined;
  /** Creative attributes that the impression blocks. */
  readonly battr?: readonly number[] | undefined;
  /** What the player of the auction takes, besides the rules of the placement; undefined: whatever those allow. */
  readonly video?: VideoRules | undefined;
  /** The break that it is a part of; undefined: it is alone. */
  readonly pod?: Pod | undefined;
  /**
   * The programmatic line items that could fill it, each with the creative row that names the
   * placement and the format.
   */
  readonly invitations: readonly Booking[];
}

/** The page and the user. Each bidder receives what its verdict allows (context/consent/withhold.ts). */
export interface BidContext {
  readonly requestId: string;
  readonly publisher: Publisher;
  /** Keyed hash, never the publisher's own user id; '': none. */
  readonly userHash: string;
  readonly userAgent: string;
  readonly ip: string | null;
  readonly country: string | null;
  readonly device: Device | null;
  readonly pageUrl: string | null;
  readonly signals: PrivacySignals;
  /** Those of the snapshot that decides, by id. */
  readonly bidders: ReadonlyMap<number, Bidder>;
  readonly shareWith: (gvlId: number | null) => Verdict;
  /** What the page asks for under the DSA; undefined: nothing. */
  readonly dsa: DsaRequest | undefined;
  /** The block list of the auction; undefined: none. */
  readonly blocked: BlockList | undefined;
  /** The supply chain of the auction; undefined: none. */
  readonly schain: SupplyChain | undefined;
  /** Whether the ad will not be billed. */
  readonly test: boolean;
  /** The time that the caller leaves for all bidders; undefined: the service's own limit. */
  readonly maxMs?: number | undefined;
}

/** A valid bid as read from a bidder's answer, its macros filled. */
export interface ReadBid {
  readonly impId: string;
  readonly bidId: string;
  /** The deal under which it counts; OPEN_MARKET: none that was offered. */
  readonly deal: string;
  /** Micros of the publisher's currency per thousand impressions, > 0, after the bidder's adjustment. */
  readonly cpmMicros: number;
  /** Markup, or for native the assets as JSON; '' of a video whose VAST has an address. */
  readonly adm: string;
  /** The address of the VAST of a video; null: its document is `adm`, or it is none. */
  readonly tag: string | null;
  /** Of a video; null: unknown, or it is none. */
  readonly durationMs: number | null;
  readonly adomain: readonly string[];
  readonly cat: readonly string[];
  readonly cattax: number;
  readonly dsa: DsaAnswer | undefined;
  readonly width: number | null;
  readonly height: number | null;
  readonly winNoticeUrl: string | null;
  readonly billingNoticeUrl: string | null;
  /** Still contains `${AUCTION_LOSS}`. */
  readonly lossNoticeUrl: string | null;
  /** Notices that are not sent, because the bidder may not name their hosts. */
  readonly foreignNotices: readonly NoticeKind[];
}

/** A valid bid for one of the line items of its bidder, which metrics call `bidder`. */
export type Bid = ReadBid & { readonly invitation: Booking; readonly bidder: string; readonly placementId: string };

/**
 * An invitation without a valid bid. `detail` is for the trace: short, with the OpenRTB codes and,
 * where the bidder refused the request, its words.
 */
export interface BidRefusal {
  readonly impId: string;
  readonly invitation: Booking;
  readonly reason: NoBidReason;
  readonly detail: string;
}

export interface BidAnswers {
  readonly bids: readonly Bid[];
  readonly refusals: readonly BidRefusal[];
}

/**
 * Programmatic demand. `ask` never rejects and never takes longer than the bidder timeout; without
 * opportunities it sends no request.
 */
export interface Bidders {
  ask(opportunities: readonly BidOpportunity[], context: BidContext): Promise<BidAnswers>;
  /**
   * Sends the win and loss notices of bids without blocking the caller. `lossReason` is an OpenRTB
   * loss reason code. Pass the objects that `ask` returned: line items of one bidder share
   * a bid, for which one notice is sent, a win if one of them won.
   */
  notifyWin(bid: Bid): void;
  notifyLoss(bid: Bid, lossReason: number): void;
  /**
   * Sends the notice of a billed impression; the URL travels from the bid through the stored
   * reservation.
   */
  notifyBilled(billingNoticeUrl: string): void;
  close(): Promise<void>;
}
