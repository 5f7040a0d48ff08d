import { composeMarkup } from '../creative/compose-markup.ts';
import type { ServedAd } from '../delivery/hit.ts';
import type { AdRequest } from './ad-request.ts';
import type { Opportunity, Won } from './opportunity.ts';

/** One bid of the answer, in the answer's own names. */
export interface SeatBidBid {
  readonly id: string;
  readonly impid: string;
  readonly crid: string;
  readonly cid: string;
  readonly adm: string;
  /** eCPM in USD. */
  readonly price: number;
  readonly adomain?: readonly string[];
  readonly w: number;
  readonly h: number;
  readonly impurl: string;
  readonly clkurl: string;
  readonly evturl: string;
  readonly repturl: string;
  readonly ext?: { readonly click_url: string };
}

export interface ComposeBidInput {
  readonly won: Won;
  readonly opportunity: Opportunity;
  readonly request: AdRequest;
  readonly signToken: (ad: ServedAd) => string;
  /** '' : tracking URLs are relative. */
  readonly publicUrl: string;
}

/** The winner as the publisher receives it: markup, price, and one signed token in all of its tracking URLs. */
export const composeBid = ({ won: { candidate, bid, ad }, opportunity, signToken, publicUrl }: ComposeBidInput): SeatBidBid => {
  const { creative, lineItem, ecpmMicros } = candidate;
  const { width, height } = opportunity.imp.slot;
  const adomain = bid ? bid.adomain : creative.advertiserDomain === null ? [] : [creative.advertiserDomain];
  const token = signToken(ad);
  return {
    id: ad.tokenId,
    impid: opportunity.imp.impId,
    crid: String(creative.id),
    cid: String(lineItem.campaignId),
    adm: bid ? bid.adm : composeMarkup(creative, { width, height }),
    price: ecpmMicros / 1e6,
    ...(adomain.length > 0 ? { adomain } : {}),
    w: bid?.width ?? creative.width ?? width,
    h: bid?.height ?? creative.height ?? height,
    impurl: `${publicUrl}/impression?t=${token}`,
    clkurl: `${publicUrl}/click?t=${token}`,
    evturl: `${publicUrl}/event?t=${token}`,
    repturl: `${publicUrl}/report?t=${token}`,
    ...(creative.clickUrl === null ? {} : { ext: { click_url: creative.clickUrl } }),
  };
};
