import type { Campaign } from '../../catalog/model/entities.ts';
import { showEndDate, showStartDate } from '../../catalog/model/flight-dates.ts';
import { STOPS } from '../../catalog/model/stops.ts';
import type { DeliveryStatus } from '../../decision/no-bid-reason.ts';
import { plainStatus } from './line-item-status.ts';
import type { LineItemStatus } from './status.ts';

/** What a campaign is when any of its line items is, the first that one of them is. */
const FROM_LINE_ITEMS: readonly DeliveryStatus[] = [
  'behind',
  'delivering',
  'ahead',
  'held back',
  'capped',
  'outranked',
  'budget spent',
  'cannot serve',
  'ready',
  'scheduled',
  'paused',
  'draft',
  'finished',
];
/** Of a line item that needs a hand. */
const NEEDY: readonly DeliveryStatus[] = ['behind', 'outranked', 'cannot serve'];

/**
 * The status of a campaign: what stops it as a whole, else that of its line items. How far they are off their pace differs, and
 * the course of the campaign is another figure, so it has none. Pure.
 *
 * @param lineItems those that are not archived
 */
export const campaignStatus = ({ stop, flight }: Campaign, lineItems: readonly LineItemStatus[], atMs: number): LineItemStatus => {
  const status = (value: DeliveryStatus, ...reasons: string[]): LineItemStatus => plainStatus(value, reasons);
  if (stop !== null && STOPS[stop].status === 'archived') return status('archived', STOPS[stop].words);
  if (flight.endMs <= atMs) return status('finished', `its flight ended with ${showEndDate(flight.endMs)}`);
  if (stop !== null) return status(STOPS[stop].status, STOPS[stop].words);
  if (lineItems.length === 0) return status('draft', 'it has no line item');
  if (flight.startMs > atMs && !lineItems.some(({ value }) => value === 'cannot serve'))
    return status('scheduled', `its flight begins ${showStartDate(flight.startMs)}`);
  const value = FROM_LINE_ITEMS.find((each) => lineItems.some((item) => item.value === each)) ?? 'draft';
  const needy = lineItems.filter((item) => NEEDY.includes(item.value)).length;
  const same = lineItems.filter((item) => item.value === value);
  return {
    ...status(value, ...(needy > 0 ? [`${needy} of ${lineItems.length} line items need attention`] : [])),
    held_until: same.map(({ held_until }) => held_until).sort()[0] ?? null,
  };
};
