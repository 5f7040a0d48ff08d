import { dateOfDay, dayOf } from '../base/utc-day.ts';
import { reasonName } from '../decision/no-bid-reason.ts';
import type { DecisionRow } from '../events/decisions/decision-columns.ts';
import type { AdRequest } from './ad-request.ts';
import { reasonOf, type DecidedOpportunity } from './opportunity.ts';
import { traceOpportunity } from './trace-opportunity.ts';
import { isSampled, shareOfVisitors } from './visitor-shares.ts';

/** Creatives whose refusals are kept of an impression, as a trace has them. */
const MAX_REFUSED = 40;
const MAX_OFFERED = 20;

/**
 * Keeps what was asked, offered and refused of one visitor in `oneIn`, whole, as the sample of forecasts does: of visitors who may not be
 * measured every n-th request.
 */
export const createSampleDecisions = (oneIn: number, add: (rows: readonly DecisionRow[]) => void) => {
  const share = shareOfVisitors(oneIn);
  return (request: AdRequest, decided: readonly DecidedOpportunity[]): void => {
    if (isSampled(share, request)) add(decided.map((one) => decisionRow(request, one, oneIn)));
  };
};

/** One impression, as sinks get it. */
export const decisionRow = (request: AdRequest, opportunity: DecidedOpportunity, weight: number): DecisionRow => {
  const { publisher, query, consent, visitor } = request;
  const { imp, won, considered, invited, bids } = opportunity;
  const { steps } = traceOpportunity(opportunity, MAX_REFUSED);
  const refused = steps.flatMap((step) =>
    step.refused.map(({ booking, reason }) => ({ line_item_id: booking.lineItem.id, reason: reasonName(reason) })),
  );
  const floor = imp.terms?.floorMicros;
  return {
    ...{ day: dateOfDay(dayOf(query.atMs)), decided_at: new Date(query.atMs), weight, publisher_id: publisher.id },
    ...{ placement_id: imp.placementId, sizes: sizesOf(opportunity), floor_micros: Number.isFinite(floor) ? (floor ?? null) : null },
    ...{ country: visitor.country, device: visitor.device, browser: visitor.browser },
    ...{ may_measure: consent.measure === null ? 1 : 0, may_remember: query.mayRemember ? 1 : 0 },
    outcome: won ? 'served' : reasonName(reasonOf(opportunity)),
    ...{ token_id: won?.ad.tokenId ?? null, campaign_id: won?.ad.campaignId ?? null, line_item_id: won?.ad.lineItemId ?? null },
    ...{ creative_id: won?.ad.creativeId ?? null, price_micros: won?.ad.priceMicros ?? null },
    ...{ bidders_asked: invited.length, bids: bids.length },
    offered: JSON.stringify(considered.slice(0, MAX_OFFERED).map(({ lineItem }) => lineItem.id)),
    refused: JSON.stringify(refused.slice(0, MAX_REFUSED)),
  };
};

const sizesOf = ({ imp: { size, otherSizes } }: DecidedOpportunity): string | null => {
  const asked = [size, ...otherSizes].filter(({ width, height }) => width !== null && height !== null && (width > 0 || height > 0));
  return asked.length === 0 ? null : asked.map(({ width, height }) => `${width}x${height}`).join(',');
};
