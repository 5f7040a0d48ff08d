import type { Knex } from 'knex';
import { mayDo, type Caller } from '../access/caller.ts';
import { PERMISSIONS } from '../access/permissions.ts';
import type { Fault } from '../base/fault.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import type { CreativeApproval } from '../catalog/model/choices.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';
import { publisherQuery } from './second-person.ts';

/** What readers see of a creative, and where it leads. */
const SHOWN = ['format', 'content', 'click_url', 'advertiser_domain', 'width', 'height', 'line_item_id'] as const;

/**
 * The row of a creative as it is stored: where its publisher requires approval, one that is new or
 * shows something else is pending instead of approved, and a rejected one that someone corrects who
 * may not approve it is pending again. Approving it is another write, which the audit trail names.
 */
export const withApproval = async (
  trx: Knex.Transaction,
  kind: EntityKind,
  row: CatalogRow,
  before: EntityRecord | undefined,
  caller: Caller,
): Promise<CatalogRow> => {
  const judged = before && !mayDo(caller, 'creatives.approve') ? ['approved', 'rejected'] : ['approved'];
  if (kind.table !== 'creatives' || !judged.includes(String(row['status']))) return row;
  if (before && SHOWN.every((field) => row[field] === before[field])) return row;
  return (await newCreativesWait(trx, row)) ? { ...row, status: 'pending' } : row;
};

/** Why the caller may not approve a creative as it is: its publisher requires approval, which takes a permission. */
export const approvalFault = async (
  trx: Knex.Transaction,
  kind: EntityKind,
  row: CatalogRow,
  before: EntityRecord,
  caller: Caller,
): Promise<Fault | undefined> => {
  const isApproval = kind.table === 'creatives' && row['status'] === 'approved' && before['status'] !== 'approved';
  if (!isApproval || mayDo(caller, 'creatives.approve') || !(await newCreativesWait(trx, row))) return undefined;
  return { pointer: '/status', detail: `Your roles do not include the permission to ${PERMISSIONS['creatives.approve']}.` };
};

/** Whether a new creative waits until someone approves it. @param of a record with its publisher or its parent */
export const newCreativesWait = async (knex: Knex, of: EntityRecord): Promise<boolean> => {
  const publisher = await publisherQuery(knex, of).first<{ creative_approval: CreativeApproval } | undefined>(
    'publishers.creative_approval',
  );
  return publisher?.creative_approval === 'required';
};
