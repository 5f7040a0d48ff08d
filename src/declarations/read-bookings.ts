import { createHash } from 'node:crypto';
import { setImmediate as otherRequests } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Scope } from '../access/scope.ts';
import { inOrder } from '../base/in-order.ts';
import { entityOf, type EntityTable } from '../catalog/entities/entities.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { ENTITY_KINDS, type EntityKind, type EntityRecord } from '../bookings/entity-kind.ts';
import { writable } from '../bookings/writable.ts';

/** Rows between two turns of the event loop: a line item and its fingerprint take 0.1 ms, and a creative may have 256 KiB. */
const ROWS_AT_ONCE = 50;

/** What belongs to a publisher, and what its records name (bookings/record-scope.ts). */
export const ofPublisher = (id: number): Scope => ({ publishers: [id], advertisers: null });

/** The records of ids, in their order. Rejects when Postgres is unavailable. */
export async function* readRecords(knex: Knex, table: EntityTable, ids: readonly (string | number)[]): AsyncGenerator<EntityRecord> {
  const kind = ENTITY_KINDS[table];
  for (let i = 0; i < ids.length; i += ROWS_AT_ONCE) {
    const some = ids.slice(i, i + ROWS_AT_ONCE);
    const rows = await knex(table)
      .whereIn('id', some as number[])
      .select<CatalogRow[]>(ROWS[table].columns);
    const byId = new Map(rows.map((row) => [row['id'], row]));
    for (const id of some) {
      const row = byId.get(id);
      if (row) yield kind.toRecord(row);
    }
    await otherRequests();
  }
}

/** A hash of what a record is, in whatever spelling and order it was given: equal for records that are the same. */
export const fingerprintOf = (kind: EntityKind, dimensions: DimensionSchema, record: EntityRecord): string => {
  const checked = kind.check(writable(kind, record), { dimensions, placements: [] });
  const same = checked.ok ? { ...kind.toRecord(kind.toRow(checked.record as never)), ...jsonFields(kind, checked.record) } : record;
  const left = ['id', kind.sealed?.column];
  const kept = Object.entries(same).filter(([name]) => !left.includes(name) && !Object.hasOwn(kind.readOnly, name));
  return createHash('sha256')
    .update(JSON.stringify(inOrder(Object.fromEntries(kept))))
    .digest('base64url');
};

/** Fields that a row has as the text of JSON. */
const jsonFields = ({ table }: EntityKind, record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => entityOf(table).fields[name]?.stored === 'json'));
