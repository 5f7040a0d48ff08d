import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import type { CatalogTable } from '../catalog/model/catalog-reading.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';

interface ParentRule {
  /** The field that names the parent. */
  readonly field: string;
  /** The row whose `servable_since` decides: of this table, with the id in this field. */
  readonly decidedBy: { readonly table: 'campaigns' | 'line_items'; readonly idField: string };
}

/**
 * A creative may have been served since its line item became servable, so its line item decides.
 */
const RULES: Partial<Readonly<Record<CatalogTable, ParentRule>>> = {
  campaigns: { field: 'publisher_id', decidedBy: { table: 'campaigns', idField: 'id' } },
  line_items: { field: 'campaign_id', decidedBy: { table: 'line_items', idField: 'id' } },
  creatives: { field: 'line_item_id', decidedBy: { table: 'line_items', idField: 'line_item_id' } },
};

/** The field that names a parent that becomes fixed; undefined: the kind has none. */
export const fixedParentOf = ({ table }: EntityKind): string | undefined => RULES[table]?.field;

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
  { table, words }: EntityKind,
  before: EntityRecord,
  after: EntityRecord,
): Promise<Fault | undefined> => {
  const rule = RULES[table];
  if (!rule || after[rule.field] === before[rule.field]) return undefined;
  const { table: deciding, idField } = rule.decidedBy;
  const row = await trx(deciding)
    .where({ id: before[idField] as number })
    .first<{ servable_since: Date | null } | undefined>('servable_since');
  if (!row?.servable_since) return undefined;
  return {
    pointer: `/${rule.field}`,
    detail: `cannot change once the ${words} may have been served: duplicate it instead`,
  };
};
