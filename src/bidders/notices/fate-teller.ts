import type { Bid } from '../bidder-port.ts';
import { bidFormatOf } from '../openrtb/bid-format.ts';
import type { NoticeSender } from './notice-sender.ts';
import { fillLossReason } from '../openrtb/read-bid-response.ts';

/** Tells each bid's fate once, whoever shares it. */
export interface FateTeller {
  /** The bids of one `ask`. Those with the same impression and notices stem from one bid of one bidder. */
  remember(bids: readonly Bid[]): void;
  won(bid: Bid): void;
  lost(bid: Bid, lossReason: number): void;
}

interface Fate {
  told: boolean;
}

/**
 * Line items that share an endpoint hold the same bid. Its win is told at once; its loss only after this turn of the event loop, and only if none of
 * them won meanwhile.
 */
export const createFateTeller = (notices: NoticeSender): FateTeller => {
  const fates = new WeakMap<Bid, Fate>();
  const tell = (bid: Bid): boolean => {
    const fate = fates.get(bid) ?? { told: false };
    fates.set(bid, fate);
    const first = !fate.told;
    fate.told = true;
    return first;
  };
  return {
    remember: (bids) => {
      const shared = new Map<string, Fate>();
      for (const bid of bids) {
        const key = JSON.stringify([bid.impId, bid.invitation.lineItem.endpoint, bidFormatOf(bid.invitation.creative.content.format)]);
        const fate = shared.get(key) ?? { told: false };
        shared.set(key, fate);
        fates.set(bid, fate);
      }
    },
    won: (bid) => {
      if (tell(bid) && bid.winNoticeUrl !== null) notices.send('win', bid.winNoticeUrl);
    },
    lost: (bid, lossReason) => {
      if (bid.lossNoticeUrl === null) return;
      const url = fillLossReason(bid.lossNoticeUrl, lossReason);
      setImmediate(() => {
        if (tell(bid)) notices.send('loss', url);
      });
    },
  };
};
