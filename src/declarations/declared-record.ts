import type { Fault } from '../base/fault.ts';
import { ENTITY_KINDS, type EntityRecord } from '../bookings/entity-kind.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { DECLARED_FIELDS, OWNERS } from './declared-fields.ts';
import type { Known, KnownRecords } from './known-records.ts';
import type { Entry } from './read-entries.ts';

/**
 * What an entry says a record is, as the trafficking API has it, and what it refers to that is not there. A field that it leaves out has its default.
 *
 * @param ownerId of what it is a part of
 * @param isEntered whether the declaration has an entry of a table under a key or id
 */
export const recordOf = (
  entry: Entry,
  known: KnownRecords,
  ownerId: string | number | null | undefined,
  isEntered: (table: EntityTable, name: string | number) => boolean,
): { readonly record: EntityRecord; readonly faults: readonly Fault[]; readonly isWhole: boolean } => {
  const faults: Fault[] = [];
  /** false: something that it refers to is not there, because its own entry has faults, or as `faults` say. */
  let isWhole = true;
  const { table, fields, key } = entry;
  const idOf = (target: EntityTable, value: unknown, pointer: string): unknown => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const found = known.find(target, value);
    if (found) return found.id;
    isWhole = false;
    if (isEntered(target, value)) return undefined;
    const { words, namedByClient } = ENTITY_KINDS[target];
    faults.push({
      pointer,
      detail: namedByClient ? `${value} does not exist` : `no ${words} has this ${typeof value === 'number' ? 'id' : 'key'}`,
    });
    return undefined;
  };
  const values = DECLARED_FIELDS[table].flatMap(({ field, name, refersTo, isList }) => {
    if (!Object.hasOwn(fields, name)) return [];
    const value = fields[name];
    if (refersTo === undefined) return [[field, value] as const];
    const at = `${entry.pointer}/${name}`;
    return [
      [field, isList && Array.isArray(value) ? value.map((one, i) => idOf(refersTo, one, `${at}/${i}`)) : idOf(refersTo, value, at)],
    ] as const;
  });
  const owner = OWNERS[table];
  return {
    record: {
      ...Object.fromEntries(values),
      ...(owner && { [ENTITY_KINDS[owner].reference]: ownerId }),
      ...(ENTITY_KINDS[table].namedByClient && { id: entry.id }),
      external_key: key ?? null,
    },
    ...{ faults, isWhole },
  };
};

/** The stored record that an entry is about: by its key, else by its id, which then gets that key. */
export const matchOf = ({ table, key, id }: Entry, known: KnownRecords): Known | undefined => {
  if (ENTITY_KINDS[table].namedByClient) return id === undefined ? undefined : known.find(table, id);
  return (key === undefined ? undefined : known.find(table, key)) ?? (id === undefined ? undefined : known.find(table, id));
};

/** The pointer of a fault of a record, in the document. */
export const pointerIn = ({ table, pointer }: Entry, fault: string): string => {
  const [, first = '', ...more] = fault.split('/');
  if (fault === '') return pointer;
  const name = first === 'external_key' ? 'key' : (DECLARED_FIELDS[table].find(({ field }) => field === first)?.name ?? first);
  return [pointer, name, ...more].join('/');
};
