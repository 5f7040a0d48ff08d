import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Scope } from '../access/scope.ts';
import { MAX_ID } from '../base/schema.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { ENTITY_KINDS, type EntityRecord } from '../bookings/entity-kind.ts';
import { isVisible, onlyVisible, scopeBinding } from '../bookings/record-scope.ts';
import { DECLARED_FIELDS, namedBy, OWNERS, WRITE_ORDER } from './declared-fields.ts';
import { fingerprintOf, ofPublisher, readRecords } from './read-bookings.ts';
import type { Entry } from './read-entries.ts';

/** A stored record, in short. */
export interface Known {
  readonly table: EntityTable;
  readonly id: string | number;
  readonly key: string | undefined;
  readonly name: string;
  /** undefined: of a record that was created just now. */
  readonly fingerprint: string | undefined;
  readonly isArchived: boolean;
  /** Whether it belongs to the publisher alone. */
  readonly isOwn: boolean;
  /** null: of a placement that is open to all publishers. */
  readonly ownerId: string | number | null | undefined;
}

/** What is stored of a publisher, and what a declaration names beside it. */
export type KnownRecords = Awaited<ReturnType<typeof readKnownRecords>>;

export interface KnownRecordsOptions {
  readonly knex: Knex;
  readonly dimensions: DimensionSchema;
  readonly scope: Scope;
  /** undefined: it is new. */
  readonly publisherId: number | undefined;
  readonly entries: readonly Entry[];
}

/** Reads them, without the lock of the catalog a moment's view. Rejects when Postgres is unavailable. */
export const readKnownRecords = async ({ knex, dimensions, scope, publisherId, entries }: KnownRecordsOptions) => {
  const byName = new Map<string, Known>();
  const keyOfId = new Map<string, string>();
  const own = new Map<EntityTable, Known[]>();
  const state = createHash('sha256');
  const add = (known: Known): void => {
    byName.set(`${known.table} id ${known.id}`, known);
    if (known.key === undefined) return;
    byName.set(`${known.table} key ${known.key}`, known);
    keyOfId.set(`${known.table} ${known.id}`, known.key);
  };
  for (const table of WRITE_ORDER) {
    const kind = ENTITY_KINDS[table];
    const owner = OWNERS[table];
    const ids = await idsOf(knex, table, scope, publisherId, entries);
    const ownOfTable: Known[] = [];
    own.set(table, ownOfTable);
    for await (const record of readRecords(knex, table, ids)) {
      const isOwn =
        publisherId !== undefined && (table === 'publishers' ? record['id'] === publisherId : isOwnRecord(record, table, publisherId));
      const known: Known = {
        ...{ table, id: record['id'] as string | number, key: (record['external_key'] as string | null) ?? undefined },
        name: nameOf(record),
        fingerprint: fingerprintOf(kind, dimensions, record),
        isArchived: record['archived'] === true,
        ...{ isOwn, ownerId: owner && (record[ENTITY_KINDS[owner].reference] as string | number | null) },
      };
      add(known);
      if (!isOwn) continue;
      ownOfTable.push(known);
      state.update(`${table} ${known.id} ${known.fingerprint}\n`);
    }
  }
  return {
    /** By its key, or by its id. */
    find: (table: EntityTable, name: string | number): Known | undefined =>
      byName.get(typeof name === 'number' || ENTITY_KINDS[table].namedByClient ? `${table} id ${name}` : `${table} key ${name}`),
    add,
    /** Of the publisher alone. */
    own: (table: EntityTable): readonly Known[] => own.get(table) ?? [],
    named: namedBy(keyOfId),
    /** A hash of all that belongs to the publisher. */
    state: state.digest('base64url'),
  };
};

/** What people know it by. */
export const nameOf = (record: EntityRecord): string => String(record['name'] || record['external_key'] || record['id']);

/** Campaigns and what is in them are read by the publisher; of placements, those that are open to all belong to none. */
const isOwnRecord = (record: Readonly<Record<string, unknown>>, table: EntityTable, publisherId: number): boolean =>
  table === 'placements' ? record['publisher_id'] === publisherId : OWNERS[table] !== undefined;

/** Those of the publisher, and those that entries name by key or id. */
const idsOf = async (
  knex: Knex,
  table: EntityTable,
  scope: Scope,
  publisherId: number | undefined,
  entries: readonly Entry[],
): Promise<readonly (string | number)[]> => {
  const { namedByClient } = ENTITY_KINDS[table];
  const shared = OWNERS[table] === undefined || table === 'placements';
  const names = shared ? entries.filter((entry) => entry.table === table) : [];
  const keys = names.flatMap(({ key }) => (key === undefined ? [] : [key]));
  const ids = names.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const referred = shared ? referredTo(table, entries) : [];
  const query = onlyVisible(knex(table), table, scope).where((either) => {
    if (publisherId !== undefined)
      void either.orWhereRaw(isVisible(table, ofPublisher(publisherId)), { ...scopeBinding(ofPublisher(publisherId)) });
    if (table === 'publishers') return;
    const named = [...ids, ...referred.filter((name) => namedByClient || typeof name === 'number')];
    void either.orWhereRaw(`id = any(cast(:named as ${namedByClient ? 'text' : 'int'}[]))`, { named: named as string[] });
    const known = [...keys, ...referred.filter((name) => typeof name === 'string')];
    if (!namedByClient) void either.orWhereRaw('external_key = any(cast(:known as text[]))', { known: known });
  });
  if (table === 'publishers' && publisherId === undefined) return [];
  const rows = await query.orderBy('id').select<{ id: string | number }[]>('id');
  return rows.map(({ id }) => id);
};

/** What entries refer to in a table. */
const referredTo = (table: EntityTable, entries: readonly Entry[]): readonly (string | number)[] => {
  const names = new Set<string | number>();
  for (const entry of entries)
    for (const { name, refersTo } of DECLARED_FIELDS[entry.table]) {
      if (refersTo !== table) continue;
      for (const value of [entry.fields[name]].flat())
        if (typeof value === 'string' || (Number.isInteger(value) && Math.abs(value as number) <= MAX_ID))
          names.add(value as string | number);
    }
  return [...names];
};
