import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import type { CreativeRecord } from '../catalog/entities/creative.ts';
import type { LineItemRecord } from '../catalog/entities/line-item.ts';
import { flightOf } from '../catalog/model/flight-dates.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import type { EntityKind } from './entity-kind.ts';

interface Sharing {
  readonly placement: string;
  readonly items: string;
  readonly sum: number;
}

/** Placements that one warning names. */
const MAX_NAMED = 3;

/**
 * A warning where the shares of voice of line items that run at the same time on a placement are more than all of
 * it. It is no fault: their targeting may keep them apart, which only requests tell. Where it does not, the shares
 * are scaled down to 100 per cent.
 */
export const shareWarnings = async (
  trx: Knex.Transaction,
  { table }: EntityKind,
  record: object,
  id: unknown,
): Promise<readonly Fault[]> => {
  if (table === 'creatives') {
    const { line_item_id: lineItemId, placement_ids: places } = record as CreativeRecord;
    const row = await trx('line_items').where({ id: lineItemId }).first<CatalogRow | undefined>(ROWS.line_items.columns);
    return row ? warningsOf(trx, ROWS.line_items.toRecord(row) as unknown as LineItemRecord, lineItemId, places, '/placement_ids') : [];
  }
  if (table !== 'line_items' || typeof id !== 'number') return [];
  const { rows } = await trx.raw<{ rows: { places: string[] | null }[] }>(
    `select array_agg(placement) as places from (${PLACES('line_item_id = :id')}) own`,
    { id },
  );
  return warningsOf(trx, record as LineItemRecord, id, rows[0]?.places ?? [], '/share_of_voice');
};

const warningsOf = async (
  trx: Knex.Transaction,
  lineItem: LineItemRecord,
  id: number,
  places: readonly string[],
  pointer: string,
): Promise<readonly Fault[]> => {
  const { share_of_voice: share, active, archived } = lineItem;
  if (share === null || !active || archived || places.length === 0) return [];
  const { startMs, endMs } = flightOf(lineItem);
  const { rows } = await trx.raw<{ rows: Sharing[] }>(SHARING, {
    ...{ id, share, places: [...places], from: new Date(startMs), to: new Date(endMs) },
  } as unknown as Knex.RawBinding);
  return rows.slice(0, MAX_NAMED).map(({ placement, items, sum }) => ({
    pointer,
    detail: `with line items ${items} it is ${sum}% of placement ${placement}: lower a share, or target them apart. Shares above 100% are scaled down`,
  }));
};

const PLACES = (where: string): string =>
  `select distinct line_item_id, unnest(array_prepend(placement_id, more_placement_ids)) as placement from creatives where not archived and ${where}`;

const SHARING = `
  select theirs.placement, string_agg(o.id || ' (' || o.share_of_voice || '%)', ', ' order by o.id) as items,
         sum(o.share_of_voice) + cast(:share as float8) as sum
  from (${PLACES('line_item_id <> :id')}) theirs
  join line_items o on o.id = theirs.line_item_id
  join campaigns c on c.id = o.campaign_id
  where theirs.placement = any(cast(:places as text[])) and o.share_of_voice is not null and o.active and not o.archived and c.active and not c.archived
    and o.start_at < :to and o.end_at > :from
    and c.publisher_id = (select c2.publisher_id from line_items l join campaigns c2 on c2.id = l.campaign_id where l.id = :id)
  group by theirs.placement
  having sum(o.share_of_voice) + cast(:share as float8) > 100
  order by theirs.placement`;
