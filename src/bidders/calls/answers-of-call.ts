import { BID_OUTCOMES, describeOutcome, type BidOutcome } from '../bid-outcome.ts';
import type { BidAnswers, Bid, BidRefusal } from '../bidder-port.ts';
import type { ReadAnswer, RefusedBid } from '../openrtb/read-bid-response.ts';
import { dealOf, floorOf, OPEN_MARKET, type BidderCall } from './group-invitations.ts';
import type { RefusedCall } from './post-bid-request.ts';

export interface CallResult {
  readonly call: BidderCall;
  /** `bidderLabel`; '' of a bidder that was not called. */
  readonly bidder: string;
  readonly read: ReadAnswer | RefusedCall;
}

export type JudgedBid = Pick<RefusedBid, 'outcome' | 'lossNoticeUrl' | 'foreignNotices'>;

/** Assigns what bidders answered to the invitations: a bid or a refusal for each; and every bid that was read, with its loss notice, if any. */
export const answersOf = (results: readonly CallResult[]): BidAnswers & { readonly judged: readonly JudgedBid[] } => {
  const bids: Bid[] = [];
  const refusals: BidRefusal[] = [];
  const judged: JudgedBid[] = [];
  for (const { call, bidder, read } of results) {
    if (!('kind' in read)) {
      judged.push(...read.refused);
      for (const { foreignNotices } of read.best) judged.push({ outcome: 'accepted', lossNoticeUrl: null, foreignNotices });
    }
    for (const opportunity of call.opportunities) {
      const { impId, invitations, placement } = opportunity;
      for (const invitation of invitations) {
        const deal = dealOf(invitation);
        const best = 'kind' in read ? undefined : read.best.find((bid) => bid.impId === impId && bid.deal === deal);
        if (best && best.cpmMicros >= floorOf(invitation, opportunity)) {
          bids.push({ ...best, invitation, bidder, placementId: placement.id });
          continue;
        }
        const floor: BidOutcome = deal === OPEN_MARKET ? 'below_floor' : 'below_deal_floor';
        const outcome = best ? floor : 'kind' in read ? read.outcome : whyNone(read, impId);
        const said = 'kind' in read && read.said !== undefined ? `: ${read.said}` : '';
        refusals.push({ impId, invitation, reason: BID_OUTCOMES[outcome].reason, detail: describeOutcome(outcome) + said });
      }
    }
  }
  return { bids, refusals, judged };
};

/**
 * The most specific refusal: a refused bid for this impression, else one that names no requested
 * impression; otherwise there was no bid.
 */
const whyNone = ({ refused }: ReadAnswer, impId: string): BidOutcome =>
  (refused.find((bid) => bid.impId === impId) ?? refused.find((bid) => bid.impId === null))?.outcome ?? 'no_bid';
