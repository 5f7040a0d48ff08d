import type { Campaign, Flight, LineItem } from '../catalog/model/entities.ts';

const contains = (flight: Flight, atMs: number): boolean => flight.startMs <= atMs && atMs < flight.endMs;

/** Whether a line item may run at a moment: switched on, in its own flight and in its campaign's. */
export const isLive = (lineItem: LineItem, campaign: Campaign, atMs: number): boolean =>
  lineItem.active && contains(lineItem.flight, atMs) && contains(campaign.flight, atMs);
