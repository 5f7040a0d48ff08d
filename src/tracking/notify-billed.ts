import type { BillingNotices } from '../ledger/billing-notices.ts';
import type { Hit } from '../ledger/hit.ts';

export interface NotifyBilledOptions {
  readonly billingNotices: Pick<BillingNotices, 'take'>;
  /** Sends the notice to the bidder. */
  readonly send: (billingNoticeUrl: string) => void;
}

/**
 * Tells a bidder that its bid was billed, for a hit that the ledger has just counted: an impression that bills, of a bid that asked for the
 * notice. No request waits for it.
 */
export const createNotifyBilled =
  ({ billingNotices, send }: NotifyBilledOptions) =>
  ({ ad, kind, invalidReason }: Hit): void => {
    if (kind !== 'impression' || invalidReason === 'prefetch' || !ad.billingNotice) return;
    void billingNotices.take(ad).then((url) => url !== undefined && send(url));
  };
