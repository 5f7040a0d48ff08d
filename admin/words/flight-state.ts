import type { DeliveryStatus } from '../../src/decision/no-bid-reason.ts';
import type { CampaignWire, LineItemWire } from '../service/wire.ts';

export type FlightState = Extract<DeliveryStatus, 'active' | 'paused' | 'scheduled' | 'ended'>;

/**
 * The status that follows from the booking alone. Caps and budgets are known on the line item's own
 * page.
 */
export const flightState = (item: LineItemWire | CampaignWire, campaign: CampaignWire | undefined, nowMs: number): FlightState => {
  const flights = campaign ? [item, campaign] : [item];
  if (flights.some(({ end_date }) => endMs(end_date) <= nowMs)) return 'ended';
  if (flights.some(({ active }) => !active)) return 'paused';
  return flights.some(({ start_date }) => Date.parse(start_date) > nowMs) ? 'scheduled' : 'active';
};

/** A bare end date includes its day. */
const endMs = (text: string): number => Date.parse(text) + (text.length === 10 ? 86_400_000 : 0);
