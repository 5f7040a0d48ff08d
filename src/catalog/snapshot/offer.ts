import type { CatalogReading } from '../model/catalog-reading.ts';
import type { Campaign, LineItem } from '../model/entities.ts';
import type { AdmittedRows } from './admit-rows.ts';
import { clickRateOf, ecpmMicros, NO_COUNTS } from './ecpm.ts';

/** What creatives and line items have delivered lately. */
export type DeliveredCounts = Pick<CatalogReading, 'recentCounts' | 'creativeCounts'>;

/** What a line item adds to the slots of its creatives. */
export interface Offer extends Pick<LineItem, 'publisherId' | 'type' | 'priority' | 'rotation'> {
  readonly campaign: Pick<Campaign, 'advertiserId' | 'traits'>;
  readonly lineItemId: number;
  readonly ecpmMicros: number;
  /** See `Candidate.clickRate`. */
  readonly clickRate: number;
  /** It will not serve again for as long as the snapshot is used. A flight that has not started does not count. */
  readonly isOver: boolean;
  readonly isRetargeted: boolean;
  readonly shareOfVoice: number | null;
  readonly roadblock: boolean;
}

export const offerOf = (
  lineItemId: number,
  { lineItems, campaigns, retargeted }: AdmittedRows,
  recentCounts: DeliveredCounts['recentCounts'],
  nowMs: number,
): Offer => {
  const lineItem = lineItems.get(lineItemId)!;
  const campaign = campaigns.get(lineItem.campaignId)!;
  const { publisherId, type, priority, rotation } = lineItem;
  const recent = recentCounts.get(lineItemId) ?? NO_COUNTS;
  return {
    lineItemId,
    campaign: { advertiserId: campaign.advertiserId, traits: campaign.traits },
    publisherId,
    type,
    priority,
    rotation,
    ecpmMicros: ecpmMicros(lineItem, recent, nowMs),
    clickRate: lineItem.goals.clicks === null ? 0 : clickRateOf(recent),
    isOver: [campaign, lineItem].some(({ stop, flight }) => stop !== null || flight.endMs <= nowMs),
    isRetargeted: retargeted.has(lineItemId),
    shareOfVoice: lineItem.sales.shareOfVoice,
    roadblock: lineItem.sales.roadblock,
  };
};
