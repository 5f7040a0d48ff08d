import type { Knex } from 'knex';
import { ENTITY_KINDS, type EntityKind } from './entity-kind.ts';

/** A record by the name of its entity, as the audit trail stores both. */
export interface RecordName {
  readonly entity: string;
  readonly entity_id: string;
}

const NUMBER = /^\d{1,9}$/;
const keyOf = ({ entity, entity_id }: RecordName): string => `${entity} ${entity_id}`;

/** Of some records, those that are there: deleted ones are not. Rejects when Postgres is unavailable. */
export const createIsThere = async (knex: Knex, records: readonly RecordName[]): Promise<(record: RecordName) => boolean> => {
  const idsOf = ({ name, namedByClient }: EntityKind): readonly string[] => [
    ...new Set(
      records.filter(({ entity, entity_id }) => entity === name && (namedByClient || NUMBER.test(entity_id))).map((one) => one.entity_id),
    ),
  ];
  const found = await Promise.all(
    Object.values(ENTITY_KINDS).map(async (kind) => {
      const ids = idsOf(kind);
      if (ids.length === 0) return [];
      const there = await knex(kind.table).whereIn('id', ids).pluck<(string | number)[]>('id');
      return there.map((id) => keyOf({ entity: kind.name, entity_id: String(id) }));
    }),
  );
  const there = new Set(found.flat());
  return (record) => there.has(keyOf(record));
};
