import type { Bidders } from '../bidders/bidder-port.ts';
import type { BillingNotices } from '../ledger/billing-notices.ts';
import type { Opportunity } from './opportunity.ts';

/** OpenRTB's loss reason codes: 102 lost to a higher bid, 1 internal error (the ledger would not let it win). */
const LOST_TO_HIGHER_BID = 102;
const INTERNAL_ERROR = 1;

/** Tells each bidder how its bid fared. Nobody waits for it. */
export const notifyBidders = (bidders: Bidders, billingNotices: BillingNotices, opportunities: readonly Opportunity[]): void => {
  for (const { bids, won, refused } of opportunities) {
    if (won?.bid?.billingNoticeUrl) billingNotices.keep(won.ad, won.bid.billingNoticeUrl);
    bids.forEach((bid, i) => {
      if (won?.bid === bid) bidders.notifyWin(bid);
      else bidders.notifyLoss(bid, refused.some(({ candidate }) => candidate.bid === i) ? INTERNAL_ERROR : LOST_TO_HIGHER_BID);
    });
  }
};
