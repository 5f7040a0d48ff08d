import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import type { LineItemRecord } from '../catalog/entities/line-item.ts';
import { priceFieldOf } from '../catalog/model/agreed-price.ts';
import { mayYield } from '../catalog/model/line-item-classes.ts';
import type { EntityKind } from './entity-kind.ts';

/** Without a price the opportunity cost is 0 however little the line item is ahead (decision/opportunity-cost.ts). */
const UNPRICED =
  'has no value, and the publisher has dynamic allocation: while the line item is ahead of its goal, any bid wins over it. Set cpm, or another class';

/** A warning for a guaranteed line item that has no price to hold against bids, of a publisher with dynamic allocation. */
export const allocationWarnings = async (trx: Knex.Transaction, { table }: EntityKind, record: object): Promise<readonly Fault[]> => {
  if (table !== 'line_items') return [];
  const lineItem = record as LineItemRecord;
  const field = priceFieldOf(lineItem.budget_type);
  const isPriced = (lineItem[field] ?? 0) > 0 || (field === 'budget' && (lineItem.cpm ?? 0) > 0);
  if (isPriced || !mayYield(lineItem) || lineItem.roadblock) return [];
  const publisher = await trx('campaigns')
    .join('publishers', 'publishers.id', 'campaigns.publisher_id')
    .where('campaigns.id', lineItem.campaign_id)
    .first<{ readonly dynamic_allocation: boolean } | undefined>('publishers.dynamic_allocation');
  return publisher?.dynamic_allocation === true ? [{ pointer: field === 'budget' ? '/cpm' : `/${field}`, detail: UNPRICED }] : [];
};
