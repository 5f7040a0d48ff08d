import type { Booking } from '../../catalog/model/entities.ts';
import type { BidOpportunity } from '../bidder-port.ts';
import { bidFormatOf, type BidFormat } from '../openrtb/bid-format.ts';

/**
 * One call to one bidder: the impressions it gets, all in one format, and the invitations that its
 * answer will serve.
 */
export interface BidderCall {
  readonly endpoint: string;
  /** The bidder's id on the IAB Global Vendor List. */
  readonly gvlId: number | null;
  readonly format: BidFormat;
  readonly opportunities: readonly BidOpportunity[];
  /** Hosts, besides the endpoint's, that are listed for the invited line items. */
  readonly noticeHosts: readonly string[];
}

/**
 * A bidder gets one BidRequest per ad request and format, with an imp for each impression that
 * invites it. Line items that share an endpoint and a vendor id share its answer: the bid enters the ranking once
 * for each of them, under its own caps and budget. An invitation without an endpoint is skipped.
 */
export const groupInvitations = (opportunities: readonly BidOpportunity[]): readonly BidderCall[] => {
  const calls = new Map<string, { endpoint: string; gvlId: number | null; format: BidFormat; byImp: Map<BidOpportunity, Booking[]> }>();
  for (const opportunity of opportunities) {
    for (const invitation of opportunity.invitations) {
      const { endpoint, gvlId } = invitation.lineItem;
      if (endpoint === null) continue;
      const format = bidFormatOf(invitation.creative.content.format);
      const key = `${format} ${gvlId} ${endpoint}`;
      const call = calls.get(key) ?? { endpoint, gvlId, format, byImp: new Map<BidOpportunity, Booking[]>() };
      calls.set(key, call);
      const sharing = call.byImp.get(opportunity) ?? [];
      call.byImp.set(opportunity, sharing);
      sharing.push(invitation);
    }
  }
  return [...calls.values()].map(({ endpoint, gvlId, format, byImp }) => ({
    endpoint,
    gvlId,
    format,
    opportunities: [...byImp].map(([opportunity, invitations]) => ({ ...opportunity, invitations })),
    noticeHosts: [...new Set([...byImp.values()].flat().flatMap(({ lineItem }) => lineItem.noticeHosts))],
  }));
};
