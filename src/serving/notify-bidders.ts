import type { Bidders } from '../bidders/bidder-port.ts';
import type { BillingNotices } from '../ledger/billing-notices.ts';
import type { DecidedOpportunity } from './opportunity.ts';

/**
 * OpenRTB's loss reason codes: lost to a higher bid; internal error, used when the ledger refused
 * the bid.
 */
const LOST_TO_HIGHER_BID = 102;
const INTERNAL_ERROR = 1;

/**
 * Sends each bidder its win and loss notices, and stores billing notices until the impression. Does
 * not block the request.
 */
export const createNotifyBidders =
  (bidders: Pick<Bidders, 'notifyWin' | 'notifyLoss'>, billingNotices: Pick<BillingNotices, 'keep'>) =>
  (opportunities: readonly DecidedOpportunity[]): void => {
    for (const { bids, won, refused } of opportunities) {
      if (won?.bid?.billingNoticeUrl) billingNotices.keep(won.ad, won.bid.billingNoticeUrl);
      bids.forEach((bid, i) => {
        if (won?.bid === bid) bidders.notifyWin(bid);
        else bidders.notifyLoss(bid, refused.some(({ candidate }) => candidate.bid === i) ? INTERNAL_ERROR : LOST_TO_HIGHER_BID);
      });
    }
  };
