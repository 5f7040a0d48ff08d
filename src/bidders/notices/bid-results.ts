import { bidderKey } from '../../catalog/model/bidder-of.ts';
import type { Bid } from '../bidder-port.ts';
import { bidFormatOf } from '../openrtb/bid-format.ts';
import type { NoticeSender } from './notice-sender.ts';
import { fillLossReason } from '../openrtb/read-bid-response.ts';

interface BidResult {
  sent: boolean;
}

/**
 * Sends one win or loss notice per bid, however many line items share it.
 * Line items of one bidder share its bid. The win notice is sent immediately, the loss
 * notice after this turn of the event loop and only if none of them has won by then.
 */
export const createBidResults = (notices: NoticeSender, onWon: (bid: Bid) => void) => {
  const results = new WeakMap<Bid, BidResult>();
  const isFirst = (bid: Bid): boolean => {
    const result = results.get(bid) ?? { sent: false };
    results.set(bid, result);
    const first = !result.sent;
    result.sent = true;
    return first;
  };
  return {
    /**
     * The bids of one `ask`. Bids with the same impression, bidder, deal and format come from one bid
     * of one bidder.
     */
    remember: (bids: readonly Bid[]): void => {
      const shared = new Map<string, BidResult>();
      for (const bid of bids) {
        const { bidderId, endpoint, gvlId } = bid.invitation.lineItem;
        const bidder = bidderKey({ id: bidderId ?? 0, endpoint, gvlId });
        const key = JSON.stringify([bid.impId, bidder, bid.deal, bidFormatOf(bid.invitation.creative.content.format)]);
        const result = shared.get(key) ?? { sent: false };
        shared.set(key, result);
        results.set(bid, result);
      }
    },
    won: (bid: Bid): void => {
      if (!isFirst(bid)) return;
      onWon(bid);
      if (bid.winNoticeUrl !== null) notices.send('win', bid.winNoticeUrl);
    },
    lost: (bid: Bid, lossReason: number): void => {
      if (bid.lossNoticeUrl === null) return;
      const url = fillLossReason(bid.lossNoticeUrl, lossReason);
      setImmediate(() => {
        if (isFirst(bid)) notices.send('loss', url);
      });
    },
  };
};
