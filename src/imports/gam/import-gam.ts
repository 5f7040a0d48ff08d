import { groupBy } from '../../base/group-by.ts';
import { createNotes, type Declared, type Imported, type ImportedHead, type Noted, type Notes } from '../imported.ts';
import type { GamLineItem } from './gam-line-item.ts';

export interface GamOptions {
  readonly file: string;
  readonly items: readonly GamLineItem[];
  /** Of the publisher whose bookings they are added to. */
  readonly head: ImportedHead;
  /** What keys begin with. */
  readonly prefix: string;
}

/** Priorities of types; a type that is not among them is left out. */
const PRIORITIES: Readonly<Record<string, number>> = { SPONSORSHIP: 1, STANDARD: 2, NETWORK: 3, BULK: 3, PRICE_PRIORITY: 3, HOUSE: 3 };
const SERVED = ['READY', 'DELIVERING', 'DELIVERY_EXTENDED'];
const OPEN_END = '2999-12-31';

/** Orders and line items of Google Ad Manager as bookings. Creatives are in neither its reports nor these parts of its API. */
export const importGam = ({ file, items, head, prefix }: GamOptions): Imported => {
  const notes = createNotes();
  const keyOf = (kind: string, id: string): string => `${prefix}:${kind}:${id}`;
  const advertisers = [...new Set(items.flatMap(({ advertiser }) => advertiser ?? []))];
  const campaigns = [...groupBy(items, ({ orderId }) => orderId)].map(([orderId, parts]) => {
    const [first] = parts;
    const lineItems = parts.flatMap((item) => lineItemOf(item, keyOf('line_item', item.id), notes));
    const dates = lineItems.map((item) => [String(item['start_date']), String(item['end_date'])] as const);
    return {
      ...{ key: keyOf('order', orderId), name: first!.orderName },
      ...(first!.advertiser !== undefined && { advertiser: keyOf('advertiser', first!.advertiser) }),
      start_date: dates.map(([start]) => start).sort()[0] ?? first!.startDate,
      end_date:
        dates
          .map(([, end]) => end)
          .sort()
          .at(-1) ??
        first!.endDate ??
        OPEN_END,
      line_items: lineItems,
    };
  });
  if (items.length > 0)
    notes.add(
      'left_out',
      { kind: 'file', id: file, name: file },
      'has no creatives and no ad units: give its line items placements and creatives',
    );
  return {
    source: `Google Ad Manager, ${file}`,
    bookings: {
      ...head,
      ...{ placements: [], campaigns },
      advertisers: advertisers.map((name) => ({ key: keyOf('advertiser', name), name })),
    },
    files: new Map(),
    notes: notes.all(),
  };
};

const lineItemOf = (item: GamLineItem, key: string, notes: Notes): readonly Declared[] => {
  const noted: Noted = { kind: 'line item', id: item.id, name: item.name };
  const type = item.type.toUpperCase().replaceAll(/[\s-]+/g, '_');
  const priority = PRIORITIES[type];
  if (priority === undefined || item.startDate === undefined) {
    const why = priority === undefined ? `is of the type ${item.type}, which has no equal here` : 'has no start';
    notes.add('left_out', noted, why);
    return [];
  }
  const paused: string[] = [];
  if (item.targetedBy.length > 0) paused.push(`has targeting (${item.targetedBy.join(', ')}) by ids of Google, which have no names here`);
  const price = priceOf(item);
  if (!price)
    paused.push(`costs ${item.rate ?? 'nothing that is said'} by ${item.costType ?? 'an unknown cost type'}, which is no price here`);
  const goal = goalOf(item, type);
  if (!goal) paused.push(`has a goal of ${item.units} ${item.unitType ?? 'units'}, which is not known here`);
  for (const text of paused) notes.add('paused', noted, text);
  const status = item.status?.toUpperCase().replaceAll(/[\s-]+/g, '_');
  return [
    {
      ...{ key, name: item.name, start_date: item.startDate, end_date: item.endDate ?? OPEN_END, priority },
      active: paused.length === 0 && status !== undefined && SERVED.includes(status),
      ...(price ?? { budget_type: 'Flat', cpm: 0 }),
      ...goal,
      ...(type === 'STANDARD' && item.units !== undefined && item.endDate !== undefined && { pacing: 'Even' }),
      ...(item.caps.length > 0 && {
        frequency_caps: item.caps.map(({ impressions, seconds }) => ({ scope: 'line_item', impressions, window: seconds })),
      }),
    },
  ];
};

const priceOf = ({ rate, costType = '' }: GamLineItem): Declared | undefined => {
  if (rate === undefined) return undefined;
  const type = costType.toUpperCase();
  if (type === 'CPM') return { budget_type: 'CPM', cpm: rate };
  if (type === 'VCPM') return { budget_type: 'VCPM', cpm: rate };
  return type === 'CPC' ? { budget_type: 'CPC', cpc: rate } : undefined;
};

/** A sponsorship and house ads have a share in per cent; the others a number. */
const goalOf = ({ units, unitType = 'IMPRESSIONS' }: GamLineItem, type: string): Declared | undefined => {
  if (units === undefined) return {};
  if (type === 'SPONSORSHIP') return units <= 100 ? (units === 100 ? {} : { share_of_voice: units }) : undefined;
  if (type !== 'STANDARD' && type !== 'BULK') return undefined;
  return unitType === 'IMPRESSIONS' ? { goal_impressions: units } : unitType === 'CLICKS' ? { goal_clicks: units } : undefined;
};
