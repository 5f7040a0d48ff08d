import type { Campaign, LineItem } from '../../src/catalog/model/entities.ts';
import type { FrequencyCap } from '../../src/catalog/model/frequency-caps.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { sampleCampaign, sampleCreative, sampleLineItem } from '../../testkit/sample-booking.ts';

export const NOON = Date.UTC(2026, 5, 15, 12);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const FLIGHT = { startMs: 0, endMs: NOON + 100 * DAY };

export const campaign = (changes: Partial<Campaign> = {}): Campaign => sampleCampaign({ flight: FLIGHT, ...changes });

export const lineItem = (changes: Partial<LineItem> = {}): LineItem => sampleLineItem({ flight: FLIGHT, cpmMicros: 1_333_000, ...changes });

/** A cap of impressions of the line item. */
export const perUser = (max: number, windowMs: number): readonly FrequencyCap[] => [
  { scope: 'line_item', of: 'impressions', max, windowMs },
];

export const candidate = (
  item: LineItem,
  changes: { readonly creativeId?: number; readonly campaign?: Campaign; readonly priceMicros?: number } = {},
): RankedCandidate => {
  const creative = sampleCreative(item.id, changes.creativeId === undefined ? {} : { id: changes.creativeId });
  const heldMicros = item.budgetType === 'CPM' ? (item.cpmMicros ?? 0) / 1000 : item.budgetType === 'CPCV' ? (item.cpcvMicros ?? 0) : 0;
  const priceMicros = changes.priceMicros ?? heldMicros;
  const expectedMicros = priceMicros || (item.cpcMicros ?? 0) / 1000;
  return {
    creative,
    lineItem: item,
    campaign: changes.campaign ?? campaign(),
    ecpmMicros: 0,
    priceMicros,
    expectedMicros,
    position: 0,
    bid: -1,
  };
};
