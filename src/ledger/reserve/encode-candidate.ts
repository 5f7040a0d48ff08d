import type { Campaign, LineItem } from '../../catalog/model/entities.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { servesField } from '../ledger-keys.ts';

const NONE = -1;

/** Limits that stand as long as the snapshot does, written once, as the end of a JSON array: the price in front of them may be a bid's. */
const limitsOf = new WeakMap<LineItem, WeakMap<Campaign, string>>();

const encodeLimits = (item: LineItem, campaign: Campaign): string =>
  JSON.stringify([
    item.budgetType === 'CPC',
    item.dailyImpressionCap ?? NONE,
    item.dailySpendCapMicros ?? NONE,
    // A flat fee is agreed, not spent: nothing is billed per event, so it bounds nothing.
    item.budgetType === 'Flat' ? NONE : (item.budgetMicros ?? NONE),
    item.budgetType === 'Flat' ? NONE : (campaign.budgetMicros ?? NONE),
    item.frequencyCap?.places ?? NONE,
    item.rateLimit?.perSecond ?? NONE,
    item.rateLimit?.burst ?? NONE,
    item.pacing,
    Math.min(item.flight.endMs, campaign.flight.endMs),
  ]).slice(1);

/** The candidate as lua/include/candidate.lua reads it. */
export const encodeCandidate = ({ creative, lineItem, campaign, priceMicros, expectedMicros }: RankedCandidate): string => {
  let byCampaign = limitsOf.get(lineItem);
  if (!byCampaign) limitsOf.set(lineItem, (byCampaign = new WeakMap()));
  let limits = byCampaign.get(campaign);
  if (limits === undefined) byCampaign.set(campaign, (limits = encodeLimits(lineItem, campaign)));
  const { id, campaignId, publisherId } = lineItem;
  return `["${creative.id}","l${id}","c${campaignId}","${servesField(publisherId, campaignId, id, creative.id)}",${priceMicros},${expectedMicros},${limits}`;
};
