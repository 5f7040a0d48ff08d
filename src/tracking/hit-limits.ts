import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { Hit } from '../ledger/hit.ts';
import { limitsOf, NO_LIMITS } from '../ledger/limits.ts';
import type { HitLimits } from '../ledger/settle/encode-settle.ts';

/**
 * The current limits of a hit. After its line item has been deleted, only the campaign's budget
 * applies.
 */
export const hitLimits = (snapshot: Snapshot, { ad }: Hit): HitLimits => {
  const lineItem = snapshot.lineItems.get(ad.lineItemId);
  const campaign = snapshot.campaigns.get(ad.campaignId);
  return {
    limits: lineItem && campaign ? limitsOf(lineItem, campaign) : { ...NO_LIMITS, campaignBudgetMicros: campaign?.budgetMicros ?? null },
    expiresAtMs: snapshot.expiresAtMs(ad.publisherId),
  };
};
