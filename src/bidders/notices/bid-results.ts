import type { Bid } from '../bidder-port.ts';
import { bidFormatOf } from '../openrtb/bid-format.ts';
import type { NoticeSender } from './notice-sender.ts';
import { fillLossReason } from '../openrtb/read-bid-response.ts';

/** Sends one win or loss notice per bid, however many line items share it. */
export interface FateTeller {
  /**
   * The bids of one `ask`. Bids with the same impression, endpoint and format come from one bid of
   * one bidder.
   */
  remember(bids: readonly Bid[]): void;
  won(bid: Bid): void;
  lost(bid: Bid, lossReason: number): void;
}

interface Fate {
  settled: boolean;
}

/**
 * Line items that share an endpoint share its bid. The win notice is sent immediately, the loss
 * notice after this turn of the event loop and only if none of them has won by then.
 */
export const createFateTeller = (notices: NoticeSender): FateTeller => {
  const fates = new WeakMap<Bid, Fate>();
  const isFirst = (bid: Bid): boolean => {
    const fate = fates.get(bid) ?? { settled: false };
    fates.set(bid, fate);
    const first = !fate.settled;
    fate.settled = true;
    return first;
  };
  return {
    remember: (bids) => {
      const shared = new Map<string, Fate>();
      for (const bid of bids) {
        const key = JSON.stringify([bid.impId, bid.invitation.lineItem.endpoint, bidFormatOf(bid.invitation.creative.content.format)]);
        const fate = shared.get(key) ?? { settled: false };
        shared.set(key, fate);
        fates.set(bid, fate);
      }
    },
    won: (bid) => {
      if (isFirst(bid) && bid.winNoticeUrl !== null) notices.send('win', bid.winNoticeUrl);
    },
    lost: (bid, lossReason) => {
      if (bid.lossNoticeUrl === null) return;
      const url = fillLossReason(bid.lossNoticeUrl, lossReason);
      setImmediate(() => {
        if (isFirst(bid)) notices.send('loss', url);
      });
    },
  };
};
