import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import { MAX_PLACEMENTS_OF_CREATIVE } from '../catalog/entities/creative.ts';
import { ENTITY_TABLES, type EntityTable } from '../catalog/entities/entities.ts';
import { MAX_BLOCKED_ADVERTISERS } from '../catalog/entities/parts.ts';
import { changedBy, recordChange } from './audit-trail.ts';
import { KEPT_TABLES, LISTS } from './deleted-records.ts';
import { ENTITY_KINDS } from './entity-kind.ts';
import { giveKeysBack, setKeysAside, type KeyOf } from './external-key.ts';
import { createEntityReader } from './entity-reader.ts';
import { matchesTag } from './entity-tag.ts';
import { scopeBinding, wasOwned } from './record-scope.ts';
import { shownRecord } from './shown-fields.ts';
import { refused, type Written, type WriteTarget } from './written.ts';

/** A campaign whose accounts are to be right before something of it is served again. */
export interface RestoredCampaign {
  readonly id: number;
  readonly publisherId: number;
}

/** Makes accounts as their rows say. False: that was not possible now. */
export type PrepareAccounts = (campaigns: readonly RestoredCampaign[]) => Promise<boolean>;

/**
 * Undoes the last deletion of a record: everything that went with it is back under its id, so its counts are its own
 * again. What it belongs to must be there, and no id may be taken. What was not in the scope of the caller was not deleted
 * for it.
 *
 * Accounts are made right before the records are back, while nothing of them can be sold: Redis may have lost them since.
 */
export const restoreDeleted = async (
  trx: Knex.Transaction,
  { kind, id, caller, ifMatch }: WriteTarget,
  prepareAccounts: PrepareAccounts,
): Promise<Written> => {
  const { table, words, name: entity } = kind;
  const deletion = await trx('deleted_records')
    .where({ table_name: table, record_id: String(id) })
    .whereNotNull('row')
    .whereRaw(wasOwned(table, caller), { ...scopeBinding(caller) })
    .orderBy('id', 'desc')
    .first<{ deletion_id: string; is_root: boolean } | undefined>('deletion_id', 'is_root');
  if (!deletion) return refused('not_deleted');
  const deletionId = deletion.deletion_id;
  if (!deletion.is_root) return refused('in_the_way', [await wentWith(trx, deletionId, `the ${words}`)]);
  await trx.raw(LEAVE_PLACES, { deletionId });
  const faults = [...(await takenIds(trx, deletionId)), ...(await missingParents(trx, deletionId))];
  if (faults.length > 0) return refused('in_the_way', faults);
  if (!(await prepareAccounts(await campaignsOf(trx, deletionId)))) return refused('counters_away');
  const counts: Record<string, number> = {};
  const keys = new Map<EntityTable, readonly KeyOf[]>();
  for (const name of ENTITY_TABLES) keys.set(name, await setKeysAside(trx, deletionId, name));
  for (const name of KEPT_TABLES) {
    const count = await insertKept(trx, deletionId, name);
    if (count > 0 && name !== table) counts[name] = count;
  }
  for (const [name, given] of keys) await giveKeysBack(trx, name, given);
  await restoreLinks(trx, deletionId);
  await trx('deleted_records').where({ deletion_id: deletionId }).delete();
  const record = await createEntityReader({ knex: trx }).find(kind, id);
  if (!record) throw new Error(`Postgres has no ${words} ${id} after it was restored.`);
  if (!matchesTag(ifMatch, shownRecord(caller, kind, record))) return refused('stale');
  const after = Object.keys(counts).length > 0 ? { ...record, restored_with_it: counts } : record;
  await recordChange(trx, { ...changedBy(caller), action: 'restore', entity, entityId: id, before: null, after });
  return { ok: true, record };
};

const wentWith = async (trx: Knex.Transaction, deletionId: string, what: string): Promise<Fault> => {
  const root = await trx('deleted_records')
    .where({ deletion_id: deletionId, is_root: true })
    .first<{ table_name: keyof typeof ENTITY_KINDS; record_id: string }>('table_name', 'record_id');
  return { pointer: '', detail: `${what} was deleted with ${ENTITY_KINDS[root.table_name].words} ${root.record_id}: restore that` };
};

/** Ids that records have again: those of placements are chosen by people. */
const takenIds = async (trx: Knex.Transaction, deletionId: string): Promise<readonly Fault[]> => {
  const faults: Fault[] = [];
  for (const table of ENTITY_TABLES) {
    const { rows } = await trx.raw<{ rows: { id: string }[] }>(
      `select d.record_id as id from deleted_records d join ${table} t on t.id = ${asId(table, 'd.record_id')}
       where d.deletion_id = :deletionId and d.table_name = '${table}' order by d.id`,
      { deletionId },
    );
    for (const { id } of rows)
      faults.push({ pointer: '', detail: `there is another ${ENTITY_KINDS[table].words} ${id} now: delete or rename that one` });
  }
  return faults;
};

/** What records belong to that is neither there nor comes back with them. */
const missingParents = async (trx: Knex.Transaction, deletionId: string): Promise<readonly Fault[]> => {
  const faults: Fault[] = [];
  for (const { table, words, parents } of Object.values(ENTITY_KINDS))
    for (const { field, table: parent } of parents) {
      const { rows } = await trx.raw<{ rows: { id: string; missing: string }[] }>(
        `select d.record_id as id, d.row ->> '${field}' as missing from deleted_records d
         where d.deletion_id = :deletionId and d.table_name = '${table}' and d.row ->> '${field}' is not null
           and not exists (select from ${parent} p where p.id = ${asId(parent, `(d.row ->> '${field}')`)})
           and not exists (select from deleted_records p
                           where p.deletion_id = d.deletion_id and p.table_name = '${parent}' and p.record_id = d.row ->> '${field}')
         order by d.id`,
        { deletionId },
      );
      for (const { id, missing } of rows)
        faults.push({
          pointer: '',
          detail: `${words} ${id} needs ${ENTITY_KINDS[parent].words} ${missing}, which is deleted: restore that first`,
        });
    }
  return faults;
};

const asId = (table: keyof typeof ENTITY_KINDS, sql: string): string => (ENTITY_KINDS[table].namedByClient ? sql : `${sql}::int`);

/** Creatives leave placements that are gone since, as if they had been there when these were deleted. */
const LEAVE_PLACES = `
  with places as (
    select d.id, array_agg(named.placement order by named.place) as placements
    from deleted_records d
    cross join lateral jsonb_array_elements_text(jsonb_build_array(d.row -> 'placement_id') || (d.row -> 'more_placement_ids'))
      with ordinality as named (placement, place)
    where d.deletion_id = :deletionId and d.table_name = 'creatives'
      and (exists (select from placements p where p.id = named.placement)
           or exists (select from deleted_records p
                      where p.deletion_id = d.deletion_id and p.table_name = 'placements' and p.record_id = named.placement))
    group by d.id
  )
  update deleted_records d
  set row = d.row || jsonb_build_object('placement_id', placements[1], 'more_placement_ids', to_jsonb(placements[2:]))
  from places where places.id = d.id`;

const campaignsOf = async (trx: Knex.Transaction, deletionId: string): Promise<readonly RestoredCampaign[]> => {
  const { rows } = await trx.raw<{ rows: RestoredCampaign[] }>(
    `select id, publisher_id as "publisherId" from accounted_campaigns where id in (
       select record_id::int from deleted_records where deletion_id = :deletionId and table_name = 'campaigns'
       union select (row ->> 'campaign_id')::int from deleted_records where deletion_id = :deletionId and table_name = 'line_items')
     order by publisher_id, id`,
    { deletionId },
  );
  return rows;
};

/** Columns that were added since the deletion get their defaults; those that are gone are left out. Resolves to the number of rows. */
const insertKept = async (trx: Knex.Transaction, deletionId: string, table: string): Promise<number> => {
  const of = { deletionId, table };
  const { rows: columns } = await trx.raw<{ rows: { name: string }[] }>(
    `select quote_ident(column_name) as name from information_schema.columns
     where table_schema = current_schema() and table_name = :table and is_generated = 'NEVER'
       and column_name in (select jsonb_object_keys(row) from (
         select row from deleted_records where deletion_id = :deletionId and table_name = :table limit 1) one)
     order by ordinal_position`,
    of,
  );
  if (columns.length === 0) return 0;
  const list = columns.map(({ name }) => name).join(', ');
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `with back as (
       insert into ${table} (${list}) overriding system value
       select ${columns.map(({ name }) => `r.${name}`).join(', ')}
       from deleted_records d cross join lateral jsonb_populate_record(null::${table}, d.row) r
       where d.deletion_id = :deletionId and d.table_name = :table order by d.id
       returning 1
     )
     select count(*)::int as count from back`,
    of,
  );
  return rows[0]?.count ?? 0;
};

/** What comes back takes its places in lists again, where there is room; those in its own lists that are gone leave them. */
const restoreLinks = async (trx: Knex.Transaction, deletionId: string): Promise<void> => {
  await trx.raw(
    `update creatives c set
       placement_id = case when (d.row ->> 'first')::boolean then d.row ->> 'value' else placement_id end,
       more_placement_ids = case when (d.row ->> 'first')::boolean then array_prepend(placement_id, more_placement_ids)
                                 else array_append(more_placement_ids, d.row ->> 'value') end
     from deleted_records d
     where d.deletion_id = :deletionId and d.table_name = 'links' and d.row ->> 'table' = 'creatives' and c.id = d.record_id::int
       and c.placement_id <> d.row ->> 'value' and not c.more_placement_ids @> array[d.row ->> 'value']
       and cardinality(c.more_placement_ids) < ${MAX_PLACEMENTS_OF_CREATIVE - 1}`,
    { deletionId },
  );
  for (const { table, column } of LISTS.advertisers ?? []) {
    const id = asId(table, 'd.record_id');
    await trx.raw(
      `update ${table} t set ${column} = array_append(${column}, (d.row ->> 'value')::int)
       from deleted_records d
       where d.deletion_id = :deletionId and d.table_name = 'links' and d.row ->> 'table' = '${table}' and t.id = ${id}
         and not (d.row ->> 'value')::int = any(${column}) and cardinality(${column}) < ${MAX_BLOCKED_ADVERTISERS}`,
      { deletionId },
    );
    await trx.raw(
      `update ${table} t set ${column} = array(select one from unnest(${column}) one where exists (select from advertisers a where a.id = one))
       from deleted_records d
       where d.deletion_id = :deletionId and d.table_name = '${table}' and t.id = ${id}
         and exists (select from unnest(${column}) one where not exists (select from advertisers a where a.id = one))`,
      { deletionId },
    );
  }
};
