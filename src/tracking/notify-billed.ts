import type { BillingNotices } from '../ledger/billing-notices.ts';
import type { Hit } from '../ledger/hit.ts';

export interface NotifyBilledOptions {
  readonly billingNotices: Pick<BillingNotices, 'take'>;
  /** Sends the notice to the bidder. */
  readonly send: (billingNoticeUrl: string) => void;
}

/**
 * Sends a bidder the billing notice of its bid after the ledger has counted the hit: an impression
 * that bills, of a bid with a billing URL. Does not block the request.
 */
export const createNotifyBilled =
  ({ billingNotices, send }: NotifyBilledOptions) =>
  ({ ad, kind, invalidReason }: Hit): void => {
    if (kind !== 'impression' || invalidReason !== '' || !ad.billingNotice) return;
    void billingNotices.take(ad).then((url) => url !== undefined && send(url));
  };
