import { flightOf } from '../../../src/catalog/model/flight-dates.ts';
import { hashOf } from '../../route.ts';
import type { Store } from '../../api/store.ts';
import type { CreativeWire, LineItemWire } from '../../api/wire.ts';
import { linkTo } from '../../words/kinds.ts';
import type { TimeWindow } from './window.ts';
import { t } from '../../words/texts.ts';

export const GROUPINGS = ['placement', 'advertiser'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A line item with its flight within that of its campaign. */
export interface Booking {
  readonly lineItem: LineItemWire;
  readonly startMs: number;
  readonly endMs: number;
}

export interface BookingGroup {
  readonly title: string;
  readonly hash: string;
  /** Line items, each on the first lane that is free for its flight; those of a lane by their start. */
  readonly lanes: readonly (readonly Booking[])[];
  readonly count: number;
}

/**
 * The line items whose flights touch a window, by placement or by who pays. One that runs on several
 * placements is on each. undefined: they are being read.
 */
export const groupBookings = (store: Store, grouping: Grouping, shown: TimeWindow, text: string): readonly BookingGroup[] | undefined => {
  const [lineItems, creatives] = [store.wanted('line_items', ''), grouping === 'placement' ? store.wanted('creatives', '') : NONE];
  if (!lineItems || !creatives) return undefined;
  const groups = new Map<string, { readonly title: string; readonly hash: string; readonly bookings: Booking[] }>();
  const keysOf = grouping === 'placement' ? placementsOf(creatives.rows) : advertisersOf(store);
  const words = text.trim().toLowerCase();
  for (const lineItem of lineItems.rows) {
    const campaign = store.find('campaigns', lineItem.campaign_id);
    const [own, around] = [flightOf(lineItem), campaign ? flightOf(campaign) : undefined];
    const startMs = Math.max(own.startMs, around?.startMs ?? own.startMs);
    const endMs = Math.min(own.endMs, around?.endMs ?? own.endMs);
    if (!(startMs < shown.toMs && endMs > shown.fromMs && startMs < endMs)) continue;
    const isNamed = `${lineItem.name} ${campaign?.name ?? ''}`.toLowerCase().includes(words);
    for (const { title, hash } of keysOf(lineItem)) {
      if (!isNamed && !title.toLowerCase().includes(words)) continue;
      const group = groups.get(title) ?? { title, hash, bookings: [] };
      groups.set(title, group);
      group.bookings.push({ lineItem, startMs, endMs });
    }
  }
  return [...groups.values()]
    .sort((a, b) => a.title.localeCompare(b.title))
    .map(({ title, hash, bookings }) => ({ title, hash, lanes: lanesOf(bookings), count: bookings.length }));
};

const NONE = { rows: [] };

interface GroupKey {
  readonly title: string;
  readonly hash: string;
}

const placementsOf = (creatives: readonly CreativeWire[]): ((lineItem: LineItemWire) => readonly GroupKey[]) => {
  const byLineItem = new Map<number, Set<string>>();
  for (const { line_item_id, placement_ids } of creatives) {
    const known = byLineItem.get(line_item_id) ?? new Set<string>();
    byLineItem.set(line_item_id, known);
    for (const id of placement_ids) known.add(id);
  }
  return ({ id }) => {
    const ids = [...(byLineItem.get(id) ?? [])];
    if (ids.length === 0) return [{ title: t`Without a creative`, hash: hashOf(['creatives']) }];
    return ids.map((placement) => ({ title: placement, hash: linkTo('placements', placement) }));
  };
};

const advertisersOf =
  (store: Store) =>
  ({ campaign_id }: LineItemWire): readonly GroupKey[] => {
    const advertiser = store.find('advertisers', store.find('campaigns', campaign_id)?.advertiser_id);
    return [
      advertiser
        ? { title: advertiser.name, hash: linkTo('advertisers', advertiser.id) }
        : { title: t`Without an advertiser`, hash: hashOf(['campaigns']) },
    ];
  };

const lanesOf = (bookings: readonly Booking[]): readonly (readonly Booking[])[] => {
  const lanes: Booking[][] = [];
  for (const booking of bookings.toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs)) {
    const free = lanes.find((lane) => (lane.at(-1)?.endMs ?? 0) <= booking.startMs);
    if (free) free.push(booking);
    else lanes.push([booking]);
  }
  return lanes;
};
