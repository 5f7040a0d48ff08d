import type { Campaign, LineItem } from '../../catalog/model/entities.ts';
import { STOPS } from '../../catalog/model/stops.ts';
import { showEndDate, showStartDate } from '../../catalog/model/flight-dates.ts';
import { describeRefusal } from '../../ledger/describe-refusal.ts';
import { DELIVERY_STATUSES, statusOf, type DeliveryStatus } from '../../decision/no-bid-reason.ts';
import type { LimitReading } from '../../ledger/read/read-limits.ts';
import type { EffectiveStatus } from './delivery.ts';

export interface StatusQuestion {
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Why each creative of the line item cannot be served; undefined where it can. */
  readonly creatives: readonly CreativeObstacle[];
  /** undefined: the counters are unavailable. */
  readonly limits: LimitReading | undefined;
  readonly atMs: number;
}

export interface CreativeObstacle {
  readonly id: number;
  readonly obstacle: string | undefined;
}

const MAX_CREATIVES_SHOWN = 5;

/** The status of a line item and everything that keeps it from serving. */
export const deliveryStatus = ({ lineItem, campaign, creatives, limits, atMs }: StatusQuestion): EffectiveStatus => {
  const refused = limits === undefined || limits.nbr === 0 ? undefined : limits.nbr;
  const refusal = refused === undefined ? '' : describeRefusal(refused, { lineItem, campaign });
  const limitStatus = refused === undefined ? null : statusOf(refused);
  const found: readonly (readonly [DeliveryStatus, string])[] = [
    ...flightObstacles(lineItem.flight, 'its flight', atMs),
    ...flightObstacles(campaign.flight, "the campaign's flight", atMs),
    ...[campaign.stop, lineItem.stop].flatMap((stop) => (stop === null ? [] : [[STOPS[stop].status, STOPS[stop].words] as const])),
    ...creativeObstacles(creatives),
    ...(limitStatus === null || limitStatus === 'active' ? [] : [[limitStatus, refusal] as const]),
  ];
  const byStatus = DELIVERY_STATUSES.flatMap((status) => found.filter(([each]) => each === status));
  const value = byStatus[0]?.[0] ?? 'active';
  // A limit that leaves the line item active only delays it.
  const delays = limitStatus === 'active' ? [`at this moment ${refusal}`] : [];
  return { value, reasons: [...byStatus.map(([, reason]) => reason), ...delays] };
};

const flightObstacles = ({ startMs, endMs }: LineItem['flight'], flight: string, atMs: number): readonly [DeliveryStatus, string][] => [
  ...(endMs <= atMs ? [['ended', `${flight} ended with ${showEndDate(endMs)}`] satisfies [DeliveryStatus, string]] : []),
  ...(startMs > atMs ? [['scheduled', `${flight} begins ${showStartDate(startMs)}`] satisfies [DeliveryStatus, string]] : []),
];

/**
 * A line item with one servable creative can serve, so the others are listed only when there is
 * none.
 */
const creativeObstacles = (creatives: readonly CreativeObstacle[]): readonly [DeliveryStatus, string][] => {
  if (creatives.length === 0) return [['blocked', 'it has no creative']];
  if (creatives.some(({ obstacle }) => obstacle === undefined)) return [];
  const shown = creatives.slice(0, MAX_CREATIVES_SHOWN).map(({ id, obstacle }) => `creative ${id}: ${obstacle}`);
  const more = creatives.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more creatives`] : [])].map((reason) => ['blocked', reason]);
};
