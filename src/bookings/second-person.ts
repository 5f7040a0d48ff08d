import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { Fault } from '../base/fault.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import { approvalReasons, termsOf, type ApprovalRules } from './approval-rules.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';

/**
 * Whether a call must find a second person where a publisher asks for one. Machines need none: they have
 * nobody who could approve, and are the way in when nobody can.
 */
const isBound = ({ kind, approvedBy }: Caller): boolean => kind !== 'machine' && approvedBy === null;

/** Why the write of a record needs a second person; empty: it does not. */
export const secondPersonFaults = async (
  trx: Knex.Transaction,
  kind: EntityKind,
  row: CatalogRow,
  before: EntityRecord | undefined,
  caller: Caller,
): Promise<readonly Fault[]> => {
  const terms = isBound(caller) ? termsOf(kind.table, row) : undefined;
  if (!terms) return [];
  const rules = await rulesOf(trx, row);
  return rules ? approvalReasons(rules, terms, before && termsOf(kind.table, kind.toRow(before as never))) : [];
};

/** Why unblocking a creative needs a second person; empty: it does not. */
export const unblockFaults = async (trx: Knex.Transaction, creative: EntityRecord, caller: Caller): Promise<readonly Fault[]> => {
  const rules = isBound(caller) ? await rulesOf(trx, creative) : undefined;
  return rules?.approval_of_unblocking ? [{ pointer: '', detail: 'unblocking a creative needs a second person' }] : [];
};

/** Why the close of a month needs a second person; empty: it does not. */
export const closeFaults = async (trx: Knex, publisherId: number, caller: Caller): Promise<readonly Fault[]> => {
  const rules = isBound(caller) ? await trx('publishers').where({ id: publisherId }).first<ApprovalRules | undefined>(COLUMNS) : undefined;
  return rules?.approval_of_closing ? [{ pointer: '', detail: 'closing a month needs a second person' }] : [];
};

const COLUMNS = [
  ...['currency', 'approval_price_below_micros', 'approval_discount_over', 'approval_of_priority_1', 'approval_budget_above_micros'],
  ...['approval_of_closing', 'approval_of_unblocking'],
].map((name) => `publishers.${name}`);

/** The publisher of a campaign, a line item or a creative, by the parent in its record; undefined: there is none. */
export const publisherOf = async (knex: Knex, record: EntityRecord): Promise<number | undefined> =>
  (await publisherQuery(knex, record).first<{ id: number } | undefined>('publishers.id'))?.id;

/** The rules of the publisher of a campaign, a line item or a creative, by the parent in its columns. */
const rulesOf = async (trx: Knex.Transaction, record: CatalogRow): Promise<ApprovalRules | undefined> => {
  const rules = await publisherQuery(trx, record).first<ApprovalRules | undefined>(COLUMNS);
  // Postgres sends a bigint as text.
  const micros = (amount: number | null): number | null => (amount === null ? null : Number(amount));
  return (
    rules && {
      ...rules,
      approval_price_below_micros: micros(rules.approval_price_below_micros),
      approval_budget_above_micros: micros(rules.approval_budget_above_micros),
    }
  );
};

/** The publisher of a record, by the parent in it. */
export const publisherQuery = (
  knex: Knex,
  { publisher_id: publisher, campaign_id: campaign, line_item_id: lineItem }: EntityRecord,
): Knex.QueryBuilder => {
  const query = knex('publishers');
  if (publisher !== undefined) return query.where('publishers.id', publisher as number);
  void query.join('campaigns', 'campaigns.publisher_id', 'publishers.id');
  if (campaign !== undefined) return query.where('campaigns.id', campaign as number);
  return query.join('line_items', 'line_items.campaign_id', 'campaigns.id').where('line_items.id', lineItem as number);
};
