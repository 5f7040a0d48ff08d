import type { CampaignWire, LineItemWire } from '../service/wire.ts';

export type FlightState = 'active' | 'paused' | 'scheduled' | 'ended';

/** What the booking itself says of a line item at a moment; the line item's page knows about caps and budgets too. */
export const flightState = (item: LineItemWire, campaign: CampaignWire | undefined, nowMs: number): FlightState => {
  const flights = campaign ? [item, campaign] : [item];
  if (flights.some(({ end_date }) => endMs(end_date) <= nowMs)) return 'ended';
  if (!item.active) return 'paused';
  return flights.some(({ start_date }) => Date.parse(start_date) > nowMs) ? 'scheduled' : 'active';
};

/** A bare end date includes its day. */
const endMs = (text: string): number => Date.parse(text) + (text.length === 10 ? 86_400_000 : 0);
