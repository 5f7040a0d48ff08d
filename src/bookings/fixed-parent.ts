import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import { entityOf } from '../catalog/entities/entities.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';

/** The field that names a parent that becomes fixed; undefined: the kind has none. */
export const fixedParentOf = ({ parents }: EntityKind): string | undefined => parents.find(({ isFixed }) => isFixed)?.field;

/**
 * The fault of a change that gives a record another parent although it may have been served under
 * the present one: it has been servable (active, with a creative). Accounts, tokens and reports
 * name the parents, so a cap or budget would start again under the new ones.
 *
 * The rule asks for what could have been served, not for what was: a replica with an older snapshot
 * may serve the row after any look at the counts. A row that was never servable is in no snapshot
 * as a candidate, so its parents change without a race.
 */
export const fixedParentFault = async (
  trx: Knex.Transaction,
  kind: EntityKind,
  before: EntityRecord,
  after: EntityRecord,
): Promise<Fault | undefined> => {
  const field = fixedParentOf(kind);
  if (field === undefined || after[field] === before[field]) return undefined;
  // A creative may have been served since its line item became servable, so its line item decides.
  const [deciding, id] = kind.table === 'creatives' ? (['line_items', before['line_item_id']] as const) : [kind.table, before['id']];
  const row = await trx(deciding)
    .where({ id: id as number })
    .first<{ servable_since: Date | null } | undefined>('servable_since');
  if (!row?.servable_since) return undefined;
  return {
    pointer: `/${field}`,
    detail: `cannot change once the ${kind.words} may have been served: duplicate it instead`,
  };
};

/** The faults of a change of what is set when a record is created, such as the publisher of a targeting that line items share. */
export const fixedFieldFaults = ({ table, words }: EntityKind, before: EntityRecord, after: EntityRecord): readonly Fault[] =>
  Object.entries(entityOf(table).fields).flatMap(([name, { fixed }]) =>
    fixed === 'at creation' && after[name] !== before[name]
      ? [{ pointer: `/${name}`, detail: `is fixed: add another ${words} instead` }]
      : [],
  );
