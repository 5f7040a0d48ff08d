import type { Booking } from '../../catalog/model/entities.ts';
import type { BidOpportunity } from '../bidder-port.ts';

/** One call to one bidder: the impressions it is asked for, all in one format, and the invitations that its answer will serve. */
export interface BidderCall {
  readonly endpoint: string;
  readonly format: 'html' | 'native';
  readonly opportunities: readonly BidOpportunity[];
}

/**
 * A bidder gets one BidRequest for an ad request, with an imp for each impression that invites it, and one more when it is invited in the other
 * format. Line items that share an endpoint share its answer: the bid enters the ranking once for each of them, under its own caps and budget.
 * An invitation without an endpoint asks nobody.
 */
export const groupInvitations = (opportunities: readonly BidOpportunity[]): readonly BidderCall[] => {
  const calls = new Map<string, { endpoint: string; format: 'html' | 'native'; byImp: Map<string, Booking[]> }>();
  const byId = new Map(opportunities.map((opportunity) => [opportunity.impId, opportunity]));
  for (const { impId, invitations } of opportunities) {
    for (const invitation of invitations) {
      const { endpoint } = invitation.lineItem;
      if (endpoint === null) continue;
      const format = formatOf(invitation);
      const key = `${format} ${endpoint}`;
      const call = calls.get(key) ?? { endpoint, format, byImp: new Map<string, Booking[]>() };
      calls.set(key, call);
      const sharing = call.byImp.get(impId) ?? [];
      call.byImp.set(impId, sharing);
      sharing.push(invitation);
    }
  }
  return [...calls.values()].map(({ endpoint, format, byImp }) => ({
    endpoint,
    format,
    opportunities: [...byImp].flatMap(([impId, invitations]) => {
      const opportunity = byId.get(impId);
      return opportunity ? [{ ...opportunity, invitations }] : [];
    }),
  }));
};

/** The creative row says how the placement is filled; html and banner placements both take markup. */
const formatOf = ({ creative }: Booking): 'html' | 'native' => (creative.content.format === 'native' ? 'native' : 'html');
