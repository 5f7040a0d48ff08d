import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { ENTITY_KINDS, ownerOf, type EntityKind, type EntityRecord } from './entity-kind.ts';
import { publisherOf } from './second-person.ts';

/** SQL: the publisher of a row, within which no two of the table share a key; 0: it has none, and they are one set. */
const publisherSql = (table: EntityTable, row: string): string => {
  const owner = ownerOf(ENTITY_KINDS[table]);
  if (!owner) return '0';
  if (owner.table === 'publishers') return `coalesce(${row}.${owner.field}, 0)`;
  return `(select ${publisherSql(owner.table, owner.table)} from ${owner.table} where ${owner.table}.id = ${row}.${owner.field})`;
};

/** A fault when another record has the key of this one. The caller holds the lock of the catalog. */
export const takenKey = async (
  trx: Knex.Transaction,
  { table, words }: EntityKind,
  record: EntityRecord,
  before?: EntityRecord,
): Promise<readonly Fault[]> => {
  const key = record['external_key'];
  if (typeof key !== 'string' || key === before?.['external_key']) return [];
  const publisher = ownerOf(ENTITY_KINDS[table]) ? ((await publisherOf(trx, record)) ?? 0) : 0;
  const others = trx({ t: table })
    .where({ external_key: key })
    .whereRaw(`${publisherSql(table, 't')} = :publisher`, { publisher });
  const [other] = await (before ? others.whereNot({ id: before['id'] as string | number }) : others)
    .limit(1)
    .pluck<(string | number)[]>('id');
  return other !== undefined ? [{ pointer: '/external_key', detail: `is the key of another ${words}: choose another one` }] : [];
};

/** Takes the keys from kept rows before they are restored, because others may have them by now. @returns them by id */
export const setKeysAside = async (trx: Knex.Transaction, deletionId: string, table: EntityTable): Promise<readonly KeyOf[]> => {
  const { rows } = await trx.raw<{ rows: KeyOf[] }>(
    `with keyed as (
       select id, row ->> 'external_key' as key from deleted_records
       where deletion_id = :deletionId and table_name = :table and row ->> 'external_key' is not null
     )
     update deleted_records d set row = d.row || '{"external_key": null}'
     from keyed where keyed.id = d.id returning d.record_id as id, keyed.key`,
    { deletionId, table },
  );
  return rows;
};

export interface KeyOf {
  readonly id: string;
  readonly key: string;
}

/** Restored records have their keys again, but for those that others have by now. */
export const giveKeysBack = async (trx: Knex.Transaction, table: EntityTable, keys: readonly KeyOf[]): Promise<void> => {
  if (keys.length === 0) return;
  await trx.raw(
    `update ${table} t set external_key = k.key
     from unnest(cast(:ids as text[]), cast(:keys as text[])) as k (id, key)
     where t.id::text = k.id
       and not exists (select from ${table} o where o.external_key = k.key and ${publisherSql(table, 'o')} = ${publisherSql(table, 't')})`,
    { ids: keys.map(({ id }) => id), keys: keys.map(({ key }) => key) },
  );
};
