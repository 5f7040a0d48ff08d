import type { BidContext } from '../bidders/bidder-port.ts';
import type { Publisher } from '../catalog/model/entities.ts';
import type { Consent } from '../context/consent/consent.ts';
import type { AdQuery, AdSize, AuctionTerms } from '../decision/ad-query.ts';
import type { TargetingQuery } from '../targeting/targeting-query.ts';

/** A request for ads in the domain's terms: parsed, authenticated and with its context. */
export interface AdRequest {
  readonly id: string;
  readonly publisher: Publisher;
  readonly imps: readonly RequestedImp[];
  readonly query: AdQuery;
  /** Keyed hash; null when the user id may not be used. */
  readonly userHash: string | null;
  /**
   * Keys the frequency caps that this replica keeps in its memory; null unless the user id may not be
   * used and the publisher chose that.
   */
  readonly sessionUser: string | null;
  readonly consent: Consent;
  /** The page view that it is for, together with other requests; undefined: it is one by itself. */
  readonly pageView: string | undefined;
  /** All placements that the page view asks for, in this request or in others; empty: those of this request. */
  readonly pagePlacements: readonly string[];
  /** Whether it says to which audiences the visitor belongs. */
  readonly hasSegments: boolean;
  /** Who asks: the network of the caller (context/visitor-seal.ts). undefined: its holds need not be earned. */
  readonly client: string | undefined;
  /** Of the visitor (context/visitor-seal.ts); undefined: nothing of it may be kept. */
  readonly seal: string | undefined;
  readonly bidContext: BidContext;
  /** What is counted of the visitor; null: unknown, or the user may not be measured. */
  readonly visitor: { readonly country: string | null; readonly device: string | null; readonly browser: string | null };
  /** The longest life of its holds; undefined: that of its tokens. */
  readonly maxHoldMs: number | undefined;
  readonly traced: boolean;
}

export interface RequestedImp {
  readonly impId: string;
  readonly placementId: string;
  /** Overrides the placement's size; null: the placement's. */
  readonly width: number | null;
  readonly height: number | null;
  /** Further sizes that the impression takes. */
  readonly otherSizes: readonly AdSize[];
  /** With the key-values of this impression; undefined: those of the request. */
  readonly targeting: TargetingQuery | undefined;
  /** undefined: it is not an auction's. */
  readonly terms: AuctionTerms | undefined;
}
