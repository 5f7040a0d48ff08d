import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { RecordReach } from '../api/call-rights.ts';
import type { Fault } from '../base/fault.ts';
import type { CampaignRecord } from '../catalog/entities/campaign.ts';
import type { CreativeRecord } from '../catalog/entities/creative.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import type { LineItemRecord } from '../catalog/entities/line-item.ts';
import type { Booking } from './booking-api.ts';
import { barrier } from './bulk-steps.ts';
import type { RecordWriter } from './catalog-writer.ts';
import type { ReferredPlacement } from './check-references.ts';
import { ENTITY_KINDS, type EntityRecord } from './entity-kind.ts';
import { createEntityReader } from './entity-reader.ts';
import { problemOf } from './entity-routes.ts';
import { servingStops } from './serving-stops.ts';
import { shownRecord } from './shown-fields.ts';
import { refused, type Refused, type Written } from './written.ts';

export interface BookedParts {
  readonly campaign: EntityRecord | null;
  readonly lineItems: readonly { readonly lineItem: EntityRecord | null; readonly creatives: readonly (EntityRecord | null)[] }[];
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  readonly stops: readonly Fault[];
  readonly written: readonly Written[];
}

interface Part {
  readonly id?: number | undefined;
  readonly fields: EntityRecord;
  readonly seen?: EntityRecord | undefined;
}

/**
 * Writes a campaign with its line items and creatives. What is refused does not hide the faults of what belongs to it: those
 * are found with a stand-in, which the refusal undoes.
 */
export const bookCampaign = async (
  writer: RecordWriter,
  trx: Knex.Transaction,
  { advertiser, campaign, line_items: lineItems }: Booking,
  { caller, reach, nowMs }: { readonly caller: Caller; readonly reach: RecordReach; readonly nowMs: number },
): Promise<BookedParts> => {
  const written: Written[] = [];
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  const reader = createEntityReader({ knex: trx });

  const note = (outcome: Written, table: EntityTable, pointer: string): EntityRecord | null => {
    written.push(outcome);
    const under = (each: readonly Fault[]) => each.map(({ pointer: of, detail }) => ({ pointer: `${pointer}${of}`, detail }));
    if (outcome.ok) {
      warnings.push(...under(outcome.warnings ?? []));
      return outcome.record;
    }
    const { refusal, faults: why } = outcome;
    const isSaid = refusal !== 'forbidden' && why.length > 0;
    faults.push(...(isSaid ? under(why) : [{ pointer, detail: problemOf(ENTITY_KINDS[table], outcome).detail }]));
    return null;
  };

  /** @param owner the field that says what a part belongs to, and its value */
  const write = async (
    table: EntityTable,
    { id, fields, seen = {} }: Part,
    owner: EntityRecord,
    pointer: string,
  ): Promise<EntityRecord | null> => {
    const kind = ENTITY_KINDS[table];
    const why = await barrier({ kind, verb: id === undefined ? 'create' : 'update', id }, caller, reach);
    if (why) return note(why, table, pointer);
    if (id === undefined) return note(await writer.create(kind, { ...fields, ...owner }, caller), table, `${pointer}/fields`);
    const before = await reader.find(kind, id);
    if (!before) return note(refused('not_found'), table, pointer);
    const strange = Object.entries(owner).find(([name, value]) => before[name] !== value);
    if (strange)
      return note(
        refused('invalid', [{ pointer: '/id', detail: `is of another ${strange[0].replace(/_id$/, '').replaceAll('_', ' ')}` }]),
        table,
        pointer,
      );
    const stale = Object.keys(fields).filter((name) => name in seen && !isDeepStrictEqual(before[name], seen[name]));
    if (stale.length > 0)
      return note(
        refused(
          'stale',
          stale.map((name) => ({ pointer: `/${name}`, detail: `was changed meanwhile, and is ${JSON.stringify(before[name])} now` })),
        ),
        ...([table, `${pointer}/fields`] as const),
      );
    if (Object.keys(fields).length === 0) return note({ ok: true, record: before }, table, pointer);
    return note(await writer.merge({ kind, id, caller }, fields), table, `${pointer}/fields`);
  };

  const client = advertiser && (await write('advertisers', { fields: advertiser }, {}, '/advertiser'));
  const payer = client ? { advertiser_id: client['id'] } : {};
  const booked = await write('campaigns', { ...campaign, fields: { ...campaign.fields, ...payer } }, {}, '/campaign');
  const standIn = async (table: EntityTable, fields: EntityRecord): Promise<EntityRecord | undefined> => {
    const outcome = await writer.create(ENTITY_KINDS[table], fields, caller);
    return outcome.ok ? outcome.record : undefined;
  };
  const parent =
    booked ??
    (campaign.id === undefined
      ? await standIn('campaigns', { publisher_id: campaign.fields['publisher_id'], name: '–', ...FLIGHT })
      : undefined);

  const items: { lineItem: EntityRecord | null; creatives: (EntityRecord | null)[] }[] = [];
  for (const [i, { creatives, ...part }] of lineItems.entries()) {
    const at = `/line_items/${i}`;
    const item = parent ? await write('line_items', part, { campaign_id: parent['id'] }, at) : null;
    const owner =
      item ??
      (parent && part.id === undefined
        ? await standIn('line_items', {
            campaign_id: parent['id'],
            active: false,
            cpm: 1,
            ...FLIGHT,
            placement_ids: part.fields['placement_ids'] ?? [],
          })
        : undefined);
    const ads: (EntityRecord | null)[] = [];
    for (const [j, creative] of creatives.entries())
      ads.push(owner ? await write('creatives', creative, { line_item_id: owner['id'] }, `${at}/creatives/${j}`) : null);
    items.push({ lineItem: item, creatives: ads });
  }
  const stops = booked ? await stopsOf(trx, booked, items, nowMs) : [];
  const shown = (table: EntityTable, record: EntityRecord | null) => record && shownRecord(caller, ENTITY_KINDS[table], record);
  return {
    campaign: shown('campaigns', booked),
    lineItems: items.map(({ lineItem, creatives }) => ({
      lineItem: shown('line_items', lineItem),
      creatives: creatives.map((one) => shown('creatives', one)),
    })),
    ...{ faults, warnings, stops, written },
  };
};

/** Of a stand-in. */
const FLIGHT = { start_date: '2000-01-01', end_date: '2000-01-02' };

/** Of the whole campaign: what a booking leaves as it is stops it as well, and has no place in the booking. */
const stopsOf = async (
  trx: Knex.Transaction,
  campaign: EntityRecord,
  items: readonly { readonly lineItem: EntityRecord | null }[],
  nowMs: number,
): Promise<readonly Fault[]> => {
  const kinds = { items: ENTITY_KINDS.line_items, ads: ENTITY_KINDS.creatives };
  const named = items.flatMap(({ lineItem }) => (lineItem ? [lineItem['id'] as number] : []));
  const ads = (await trx('creatives').whereIn('line_item_id', named).select()).map(
    kinds.ads.toRecord,
  ) as unknown as readonly CreativeRecord[];
  const isBare =
    named.length === 0 &&
    (await trx('line_items')
      .where({ campaign_id: campaign['id'] as number, archived: false })
      .first('id')) !== undefined;
  const ids = [...new Set(items.flatMap(({ lineItem }) => (lineItem?.['placement_ids'] as string[] | undefined) ?? []))];
  const places = await trx('placements').whereIn('id', ids).select<ReferredPlacement[]>('id', 'width', 'height');
  const booked = items.map(({ lineItem }) => ({
    lineItem: (lineItem ?? { archived: true }) as unknown as LineItemRecord,
    creatives: ads.filter(({ line_item_id: of }) => of === lineItem?.['id']),
  }));
  const stops = servingStops(campaign as unknown as CampaignRecord, booked, new Map(places.map((place) => [place.id, place])), nowMs);
  return isBare ? stops.filter(({ pointer }) => pointer !== '/line_items') : stops;
};

/** What a booking that was refused is refused as. */
export const refusalOfBooking = (written: readonly Written[]): Refused['refusal'] | undefined => {
  const why = written.flatMap((one) => (one.ok ? [] : [one.refusal]));
  const order = ['invalid', 'stale', 'forbidden', 'not_found', 'approval_required'] as const;
  return order.find((one) => why.includes(one)) ?? why[0];
};
