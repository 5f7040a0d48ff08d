import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { HitLimits } from '../ledger/settle/encode-settle.ts';
import type { Hit } from '../ledger/hit.ts';

const NONE = -1;

/** What bounds a hit now. A line item deleted since its selection bounds nothing any more; what it promised is still counted. */
export const hitLimits = (snapshot: Snapshot, { ad }: Hit): HitLimits => {
  const item = snapshot.lineItems.get(ad.lineItemId);
  const campaign = snapshot.campaigns.get(ad.campaignId);
  return {
    frequencyWindowMs: item?.frequencyCap?.windowMs ?? 0,
    dailySpendCapMicros: item?.dailySpendCapMicros ?? NONE,
    budgetMicros: item?.budgetMicros ?? NONE,
    campaignBudgetMicros: campaign?.budgetMicros ?? NONE,
    expiresAtMs: snapshot.expiresAtMs(ad.publisherId),
  };
};
