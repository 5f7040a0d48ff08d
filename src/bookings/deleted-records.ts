import type { Knex } from 'knex';
import { MS_PER_DAY } from '../base/utc-day.ts';
import { ENTITY_TABLES, type EntityTable } from '../catalog/entities/entities.ts';
import { RESTORE_DAYS } from '../catalog/model/choices.ts';
import { belongsTo, type EntityKind } from './entity-kind.ts';

/** Tables of deleted_records, parents before children: those of the catalog, then what else goes with its records. */
export const KEPT_TABLES = [...ENTITY_TABLES, 'comments'] as const;

/** Lists of ids that a record is taken out of when it is deleted, by its table. */
export const LISTS: Readonly<Partial<Record<EntityTable, readonly { readonly table: EntityTable; readonly column: string }[]>>> = {
  advertisers: [
    { table: 'publishers', column: 'blocked_advertiser_ids' },
    { table: 'placements', column: 'blocked_advertiser_ids' },
  ],
};

/**
 * Keeps a record and all that is deleted with it, as it is, before it is deleted: in the same transaction.
 *
 * @param deletionId the line of the audit trail
 */
export const keepDeleted = async (trx: Knex.Transaction, { table: root }: EntityKind, id: string | number, deletionId: number) => {
  for (const table of ENTITY_TABLES) {
    const ways = table === root ? ['id = :id'] : belongsTo(table, root, true);
    if (ways.length > 0)
      await trx.raw(
        `insert into deleted_records (deletion_id, table_name, record_id, name, is_root, row)
         select :deletionId, '${table}', id::text, to_jsonb(${table}) ->> 'name', ${table === root}, to_jsonb(${table})
         from ${table} where ${ways.join(' or ')} order by id`,
        { id, deletionId },
      );
  }
  await trx.raw(
    `insert into deleted_records (deletion_id, table_name, record_id, is_root, row)
     select :deletionId, 'comments', c.id::text, false, to_jsonb(c)
     from comments c join deleted_records d on d.deletion_id = :deletionId
       and ((d.table_name = 'campaigns' and d.record_id = c.campaign_id::text) or (d.table_name = 'line_items' and d.record_id = c.line_item_id::text))`,
    { deletionId },
  );
  await trx.raw(KEEP_PLACES, { deletionId });
  for (const { table, column } of LISTS[root] ?? [])
    await trx.raw(
      `insert into deleted_records (deletion_id, table_name, record_id, is_root, row)
       select :deletionId, 'links', id::text, false, jsonb_build_object('table', '${table}', 'value', :id::int)
       from ${table} where :id::int = any(${column})`,
      { id, deletionId },
    );
};

/** The places that deleted placements have in creatives that stay on others. */
const KEEP_PLACES = `
  insert into deleted_records (deletion_id, table_name, record_id, is_root, row)
  select d.deletion_id, 'links', c.id::text, false,
         jsonb_build_object('table', 'creatives', 'value', d.record_id, 'first', c.placement_id = d.record_id)
  from deleted_records d join creatives c on c.placement_id = d.record_id or c.more_placement_ids @> array[d.record_id]
  where d.deletion_id = :deletionId and d.table_name = 'placements'
    and not exists (select from deleted_records gone
                    where gone.deletion_id = d.deletion_id and gone.table_name = 'creatives' and gone.record_id = c.id::text)`;

/** Of these lines of the audit trail, the deletions that can be undone. */
export const restorableDeletions = async (knex: Knex, ids: readonly number[]): Promise<ReadonlySet<number>> => {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    'select deletion_id as id from deleted_records where deletion_id = any(?::bigint[]) and is_root and row is not null',
    [[...ids]] as unknown as Knex.RawBinding,
  );
  return new Set(rows.map(({ id }) => Number(id)));
};

/** Keeps of deletions that are too old to be undone the names alone. */
export const forgetDeleted = async (knex: Knex, nowMs: number): Promise<void> => {
  const before = new Date(nowMs - RESTORE_DAYS * MS_PER_DAY).toISOString();
  await knex('deleted_records').where('deleted_at', '<', before).whereNull('name').delete();
  await knex('deleted_records').where('deleted_at', '<', before).whereNotNull('row').update({ row: null });
};
