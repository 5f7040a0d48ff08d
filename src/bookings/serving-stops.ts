import type { Fault } from '../base/fault.ts';
import type { CampaignRecord } from '../catalog/entities/campaign.ts';
import type { CreativeRecord } from '../catalog/entities/creative.ts';
import type { LineItemRecord } from '../catalog/entities/line-item.ts';
import { parseEndDate } from '../catalog/model/flight-dates.ts';
import { STOPS } from '../catalog/model/stops.ts';
import type { ReferredPlacement } from './check-references.ts';

export interface BookedItem {
  readonly lineItem: LineItemRecord;
  readonly creatives: readonly CreativeRecord[];
}

/**
 * What keeps a booking from serving, or a part of it, as its records say: with pointers into the booking. Limits, bidders and
 * the traffic are not asked.
 *
 * @param placements those that its line items and creatives name
 */
export const servingStops = (
  campaign: CampaignRecord,
  items: readonly BookedItem[],
  placements: ReadonlyMap<string, Pick<ReferredPlacement, 'width' | 'height'>>,
  nowMs: number,
): readonly Fault[] => [
  ...(campaign.active ? [] : [{ pointer: '/campaign', detail: STOPS.campaignPaused.words }]),
  ...(isOver(campaign, nowMs) ? [{ pointer: '/campaign', detail: 'the flight of the campaign is over' }] : []),
  ...(items.length === 0 ? [{ pointer: '/line_items', detail: 'the campaign has no line item' }] : []),
  ...items.flatMap((item, i) => ofItem(item, placements, nowMs).map((detail) => ({ pointer: `/line_items/${i}`, detail }))),
];

const isOver = ({ end_date: end }: { readonly end_date: string }, nowMs: number): boolean => (parseEndDate(end) ?? Infinity) < nowMs;

const ofItem = (
  { lineItem, creatives }: BookedItem,
  placements: ReadonlyMap<string, Pick<ReferredPlacement, 'width' | 'height'>>,
  nowMs: number,
): readonly string[] => {
  if (lineItem.archived) return [];
  const present = creatives.filter(({ archived }) => !archived);
  const served = present.filter(({ status }) => status === 'approved');
  const waiting = ['draft', 'pending', 'rejected'] as const;
  return [
    ...(lineItem.active ? [] : [STOPS.lineItemPaused.words]),
    ...(isOver(lineItem, nowMs) ? ['its flight is over'] : []),
    ...(lineItem.placement_ids.length === 0 && present.length === 0 ? ['it names no placement'] : []),
    ...(present.length === 0 ? ['it has no creative'] : []),
    ...waiting.flatMap((status) => {
      const names = present.filter((creative) => creative.status === status).map(({ name }) => name || 'a creative');
      return names.length > 0 ? [`${names.join(', ')}: ${STATUS_STOPS[status].words}`] : [];
    }),
    ...(present.length === 0 ? [] : lineItem.placement_ids.filter((id) => !served.some(({ placement_ids: on }) => on.includes(id)))).map(
      (id) => {
        const { width, height } = placements.get(id) ?? { width: 0, height: 0 };
        return `no creative for placement ${id} of ${width}×${height}`;
      },
    ),
  ];
};

const STATUS_STOPS = { draft: STOPS.creativeDraft, pending: STOPS.creativePending, rejected: STOPS.creativeRejected } as const;
