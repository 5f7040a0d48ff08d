import type { Campaign, LineItem } from '../../catalog/model/entities.ts';
import { showEndDate, showStartDate } from '../../catalog/model/flight-dates.ts';
import { describeRefusal } from '../../ledger/describe-refusal.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { LimitReading } from '../../ledger/read/read-limits.ts';
import { DELIVERY_STATUSES, type DeliveryStatus, type EffectiveStatus } from './delivery.ts';

export interface StatusQuestion {
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Why each of its creatives cannot be served at all; undefined where one can. */
  readonly creatives: readonly { readonly id: number; readonly obstacle: string | undefined }[];
  /** undefined: the counters do not answer. */
  readonly limits: LimitReading | undefined;
  readonly atMs: number;
}

/** What a line item is doing and why: of all that keeps it from serving, what would have to change first. */
export const deliveryStatus = ({ lineItem, campaign, creatives, limits, atMs }: StatusQuestion): EffectiveStatus => {
  const found: [DeliveryStatus, string][] = [];
  if (lineItem.flight.endMs <= atMs) found.push(['ended', `its flight ended with ${showEndDate(lineItem.flight.endMs)}`]);
  if (campaign.flight.endMs <= atMs) found.push(['ended', `the campaign's flight ended with ${showEndDate(campaign.flight.endMs)}`]);
  if (!lineItem.active) found.push(['paused', 'it is switched off (active is false)']);
  if (lineItem.flight.startMs > atMs) found.push(['scheduled', `its flight begins ${showStartDate(lineItem.flight.startMs)}`]);
  if (campaign.flight.startMs > atMs) found.push(['scheduled', `the campaign's flight begins ${showStartDate(campaign.flight.startMs)}`]);
  found.push(...obstacles(creatives));
  if (limits?.nbr === NoBidReason.BudgetSpent) found.push(['budget spent', describeRefusal(limits.nbr, { lineItem, campaign })]);
  if (limits?.nbr === NoBidReason.DailyCap) found.push(['capped', describeRefusal(limits.nbr, { lineItem, campaign })]);

  const heldBack = limits?.nbr === NoBidReason.Pacing || limits?.nbr === NoBidReason.RateLimit;
  const remarks = heldBack ? [`at this moment ${describeRefusal(limits.nbr, { lineItem, campaign })}`] : [];
  const value = DELIVERY_STATUSES.find((status) => found.some(([given]) => given === status)) ?? 'active';
  const first = found.filter(([status]) => status === value);
  const others = found.filter(([status]) => status !== value);
  return { value, reasons: [...[...first, ...others].map(([, reason]) => reason), ...remarks] };
};

const SHOWN = 5;

/** One creative that can be served is enough; the others are worth a word only when there is none. */
const obstacles = (creatives: StatusQuestion['creatives']): readonly [DeliveryStatus, string][] => {
  if (creatives.length === 0) return [['blocked', 'it has no creative']];
  if (creatives.some(({ obstacle }) => obstacle === undefined)) return [];
  const told = creatives.slice(0, SHOWN).map(({ id, obstacle }): [DeliveryStatus, string] => ['blocked', `creative ${id}: ${obstacle}`]);
  return creatives.length > SHOWN ? [...told, ['blocked', `and ${creatives.length - SHOWN} more creatives`]] : told;
};
