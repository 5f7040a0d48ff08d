import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import type { Campaign, LineItem } from '../../src/catalog/model/entities.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import type { ReservationMoments } from '../../src/ledger/reservation.ts';
import { sampleCampaign, sampleCreative, sampleLineItem } from '../sample-booking.ts';

/** The start of the simulated day: any day, only its hours matter. */
export const DAY_START_MS = Date.UTC(2026, 2, 10);
export const PUBLISHER = 1;

const FLIGHT = { startMs: DAY_START_MS - 30 * MS_PER_DAY, endMs: DAY_START_MS + 30 * MS_PER_DAY };
const CAMPAIGN: Campaign = sampleCampaign({ publisherId: PUBLISHER, flight: FLIGHT });

/** A campaign whose budget is for the simulated day alone. */
export const simulatedCampaign = (budgetMicros: number): Campaign => ({
  ...CAMPAIGN,
  flight: { startMs: DAY_START_MS, endMs: DAY_START_MS + MS_PER_DAY },
  budgetMicros,
});

/** A candidate at a CPM of 1 USD unless `item` has another price. */
export const simulatedCandidate = (
  item: Partial<LineItem> & Pick<LineItem, 'id' | 'name' | 'pacing'>,
  campaign = CAMPAIGN,
): RankedCandidate => {
  const lineItem = sampleLineItem({ publisherId: PUBLISHER, flight: FLIGHT, ...item });
  const priceMicros = (lineItem.cpmMicros ?? 0) / 1000;
  const creative = sampleCreative(lineItem.id);
  return { creative, lineItem, campaign, ecpmMicros: priceMicros * 1000, priceMicros, expectedMicros: priceMicros, position: 0, bid: -1 };
};

/** The token of a reservation, as POST /ad creates it. */
export const simulatedServe = (
  tokenId: string,
  moments: ReservationMoments,
  { lineItem, creative, priceMicros }: RankedCandidate,
): ServedAd => ({
  tokenId,
  servedAtMs: 0,
  publisherId: PUBLISHER,
  campaignId: lineItem.campaignId,
  lineItemId: lineItem.id,
  creativeId: creative.id,
  placementId: creative.placementIds[0]!,
  priceMicros,
  billsOn: 'impression',
  ...moments,
  userHash: null,
  billingNotice: false,
});
