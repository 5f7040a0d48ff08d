import { IDLE_KEY_TTL_MS } from '../base/utc-day.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { Hit } from '../ledger/hit.ts';
import { billsOnOf, limitsOf, NO_LIMITS, type Limits } from '../ledger/limits.ts';
import type { HitLimits } from '../ledger/settle/encode-settle.ts';

/**
 * The limits that bound what a hit bills: the current ones of its line item while that bills as the
 * token does, else those under which the ad was selected, which the token carries. A line item that
 * was deleted, set aside or switched to another price therefore never bills above them.
 *
 * The accounts are kept for at least a month after the hit: the snapshot knows when the flights of
 * the publisher end, unless the publisher is gone or the snapshot is old.
 */
export const hitLimits = (snapshot: Snapshot, { ad, atMs, restored }: Hit): HitLimits => ({
  limits: limitsOfAd(snapshot, ad, restored !== undefined),
  expiresAtMs: Math.max(snapshot.expiresAtMs(ad.publisherId), atMs + IDLE_KEY_TTL_MS),
});

const limitsOfAd = (snapshot: Snapshot, ad: Hit['ad'], isRestored: boolean): Limits => {
  const lineItem = snapshot.lineItems.get(ad.lineItemId);
  const campaign = snapshot.campaigns.get(ad.campaignId);
  const current = lineItem && campaign ? limitsOf(lineItem, campaign) : isRestored ? NO_ROOM : NO_LIMITS;
  // Nothing is reserved for it. A fee is bounded by no budget, but this impression was sold at a price.
  if (isRestored && lineItem && campaign && ad.billsOn === 'impression' && ad.priceMicros > 0)
    return {
      ...current,
      budgetMicros: lineItem.budgetMicros,
      campaignBudgetMicros: campaign.budgetMicros,
      campaignDailyMicros: campaign.dailyBudgetMicros,
    };
  const billsAsToken = lineItem !== undefined && billsOnOf(lineItem) === ad.billsOn;
  return ad.billsOn !== 'impression' && !billsAsToken ? { ...current, ...NO_SPEND_LIMITS, ...ad.spendBounds } : current;
};

/** Nothing is reserved for a restored hit, so it bills nothing where the limits are unknown. */
const NO_ROOM: Limits = {
  ...NO_LIMITS,
  goalImpressions: 0,
  dailyImpressions: 0,
  dailySpendMicros: 0,
  budgetMicros: 0,
  campaignBudgetMicros: 0,
  campaignDailyMicros: 0,
};
const NO_SPEND_LIMITS = { dailySpendMicros: null, budgetMicros: null, campaignBudgetMicros: null, campaignDailyMicros: null };
