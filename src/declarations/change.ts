import type { Knex } from 'knex';
import { inOrder } from '../base/in-order.ts';
import * as s from '../base/schema.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { ENTITY_KINDS, type EntityKind, type EntityRecord } from '../bookings/entity-kind.ts';
import { declaredOf, DECLARED_FIELDS, type Named } from './declared-fields.ts';
import type { KnownRecords } from './known-records.ts';

const CHANGED_FIELD = s.record({
  name: s.text,
  before: s.described(s.anything, 'as a declaration has it; null: the default'),
  after: s.anything,
});

/** One change of a plan. */
export const CHANGE = s.record({
  action: s.oneOf(['create', 'update', 'archive']),
  kind: s.text,
  key: s.orNull(s.text),
  id: s.anyOf(s.integer, s.text),
  name: s.text,
  fields: s.listOf(CHANGED_FIELD),
  words: s.described(s.text, 'the change as a sentence'),
  last_change: s.nullOr(s.record({ actor: s.text, at: s.moment, note: s.orNull(s.text) }), {}, 'it was never changed since its creation'),
});
export type Change = s.Shape<typeof CHANGE>;
export type ChangedField = s.Shape<typeof CHANGED_FIELD>;

/** Of a text in a plan; what is longer is cut. */
const MAX_SHOWN = 200;

/** The fields of a record that differ, as declarations have them. @param before undefined: it is new */
export const changedFields = (
  table: EntityTable,
  before: EntityRecord | undefined,
  after: EntityRecord,
  named: Named,
): readonly ChangedField[] => {
  if (!before) return [];
  const [old, now] = [declaredOf(table, before, named), declaredOf(table, after, named)];
  return ['key', ...DECLARED_FIELDS[table].map(({ name }) => name)].flatMap((name) =>
    JSON.stringify(old[name]) === JSON.stringify(now[name]) ? [] : [{ name, before: shortened(old[name]), after: shortened(now[name]) }],
  );
};

const shortened = (value: unknown): unknown => {
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : value;
};

const VERBS = { create: 'is new', update: '', archive: 'is archived: the declaration does not have it' } as const;

/** "line item Boots, sport readers: cpm 4.5 → 5; 120,000 impressions are booked" */
export const wordsOf = (
  action: Change['action'],
  { words }: EntityKind,
  name: string,
  fields: readonly ChangedField[],
  after: EntityRecord,
): string => {
  const what = fields.map((field) => `${field.name} ${wordsOfValue(field.before)} → ${wordsOfValue(field.after)}`).join(', ');
  const said = action === 'update' ? what || 'spelling' : VERBS[action];
  const goal = after['goal_impressions'];
  return `${words} ${name}: ${said}${typeof goal === 'number' && action === 'update' ? `; ${goal.toLocaleString('en')} impressions are booked` : ''}`;
};

const wordsOfValue = (value: unknown): string =>
  value === null ? '(default)' : typeof value === 'string' ? value : JSON.stringify(inOrder(value));

/** Rows between two turns of the event loop. */
const CHANGES_AT_ONCE = 500;

/** Who changed each record last, by table and id. */
export const readLastChanges = async (
  knex: Knex,
  known: KnownRecords,
): Promise<ReadonlyMap<string, NonNullable<Change['last_change']>>> => {
  const found = new Map<string, NonNullable<Change['last_change']>>();
  for (const kind of Object.values(ENTITY_KINDS)) {
    const own = known.own(kind.table);
    for (let i = 0; i < own.length; i += CHANGES_AT_ONCE) {
      const ids = own.slice(i, i + CHANGES_AT_ONCE).map(({ id }) => String(id));
      const rows = await knex('audit')
        .distinctOn('entity_id')
        .where({ entity: kind.name })
        .whereRaw('entity_id = any(cast(:ids as text[]))', { ids })
        .orderBy([{ column: 'entity_id' }, { column: 'id', order: 'desc' }])
        .select<{ entity_id: string; actor: string; at: Date; note: string | null }[]>('entity_id', 'actor', 'at', 'note');
      for (const { entity_id: id, actor, at, note } of rows) found.set(`${kind.table} ${id}`, { actor, at: at.toISOString(), note });
    }
  }
  return found;
};
