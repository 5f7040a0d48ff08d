import { dayOf } from '../../src/base/utc-day.ts';
import type { Hit } from '../../src/ledger/hit.ts';

/** A line item that no catalog has: what is written about it by hand is in no account. */
export const UNBOOKED_LINE_ITEM = 1_999_999;

/** An impression of the unbooked line item whose token has an hour left. */
export const hitOf = (publisherId: number, tokenId: string): Hit => ({
  ad: {
    ...{ tokenId, publisherId, campaignId: UNBOOKED_LINE_ITEM, lineItemId: UNBOOKED_LINE_ITEM, creativeId: UNBOOKED_LINE_ITEM },
    ...{ placementId: 'by-hand', priceMicros: 1_000, billsOn: 'impression', day: dayOf(Date.now()), holdEndMs: 0 },
    ...{ tokenExpS: Math.ceil(Date.now() / 1000) + 3_600, userHash: null, billingNotice: false, servedAtMs: Date.now() },
  },
  ...{ kind: 'impression', eventType: '', invalidReason: '', atMs: Date.now(), country: null, device: null },
});
