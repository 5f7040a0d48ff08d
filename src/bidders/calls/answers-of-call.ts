import { BID_OUTCOMES, type BidOutcome } from '../bid-outcome.ts';
import type { Bid, BidInvitation, BidRefusal } from '../bidder-port.ts';
import type { BidderCall } from './group-invitations.ts';
import type { ReadAnswer, ReadBid } from '../openrtb/read-bid-response.ts';

export interface CallResult {
  readonly call: BidderCall;
  readonly read: ReadAnswer | { readonly kind: 'refused'; readonly outcome: BidOutcome };
}

export interface CallAnswers {
  /** One for each invitation that shares the bid, with the bid they share. */
  readonly bids: readonly Bid[];
  readonly refusals: readonly BidRefusal[];
  /** Every bid that was read, and where its loss is to be told at once. */
  readonly told: readonly { readonly outcome: BidOutcome; readonly lossNoticeUrl: string | null }[];
}

/** Brings what bidders answered back to the invitations: a bid or a refusal for each. */
export const answersOf = (results: readonly CallResult[]): CallAnswers => {
  const bids: Bid[] = [];
  const refusals: BidRefusal[] = [];
  const told: { outcome: BidOutcome; lossNoticeUrl: string | null }[] = [];
  for (const { call, read } of results) {
    if (!('kind' in read)) {
      told.push(...read.refused);
      for (const _ of read.best) told.push({ outcome: 'accepted', lossNoticeUrl: null });
    }
    for (const { impId, invitations } of call.opportunities) {
      const best = 'kind' in read ? undefined : read.best.get(impId);
      const outcome = 'kind' in read ? read.outcome : whyNone(read, impId);
      for (const invitation of invitations) {
        if (best) bids.push(toBid(best, invitation));
        else refusals.push(toRefusal(impId, invitation, outcome));
      }
    }
  }
  return { bids, refusals, told };
};

/** The impression's own refused bid explains most; then one that named no impression of ours; else there was none. */
const whyNone = ({ refused }: ReadAnswer, impId: string): BidOutcome =>
  (refused.find((bid) => bid.impId === impId) ?? refused.find((bid) => bid.impId === null))?.outcome ?? 'no_bid';

const toBid = (bid: ReadBid, invitation: BidInvitation): Bid => ({ ...bid, invitation });

const toRefusal = (impId: string, invitation: BidInvitation, outcome: BidOutcome): BidRefusal => {
  const { seatNonBid, lossReason, reason, detail } = BID_OUTCOMES[outcome];
  const codes = lossReason === null ? `seat-non-bid ${seatNonBid}` : `seat-non-bid ${seatNonBid}, loss ${lossReason}`;
  return { impId, invitation, reason, outcome, seatNonBid: seatNonBid ?? 0, detail: `${detail} (${codes})` };
};
