import type { Knex } from 'knex';
import type { CreativeFormat } from '../../catalog/model/entities.ts';
import type { Fault } from '../../base/fault.ts';
import type { EntityKind } from './entity-kind.ts';

export interface CheckedReferences {
  readonly faults: readonly Fault[];
  /** Of the placement that a creative names. */
  readonly placementFormats: readonly CreativeFormat[] | undefined;
}

/** What a record says about others: each parent exists, and a creative's placement and line item can meet. */
export const checkReferences = async (
  trx: Knex.Transaction,
  { parents }: EntityKind,
  input: Readonly<Record<string, unknown>>,
): Promise<CheckedReferences> => {
  const faults: Fault[] = [];
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { field, table } of parents) {
    const id = input[field];
    const wellFormed = table === 'placements' ? typeof id === 'string' : Number.isInteger(id) && Math.abs(id as number) <= 2_147_483_647;
    // What is no id at all is the schema's to say.
    if (!wellFormed) continue;
    const parent = (await trx(table)
      .where({ id: id as string | number })
      .first()) as Readonly<Record<string, unknown>> | undefined;
    if (parent) found.set(table, parent);
    else faults.push({ pointer: `/${field}`, detail: `refers to ${table} ${String(id)}, which does not exist` });
  }
  const placement = found.get('placements');
  const lineItem = found.get('line_items');
  if (placement && lineItem && placement['publisher_id'] !== null) {
    const campaign = await trx('campaigns')
      .where({ id: lineItem['campaign_id'] as number })
      .first<{ publisher_id: number }>('publisher_id');
    if (campaign.publisher_id !== placement['publisher_id']) {
      faults.push({
        pointer: '/placement_id',
        detail: `belongs to publisher ${Number(placement['publisher_id'])}, the line item to publisher ${campaign.publisher_id}`,
      });
    }
  }
  return { faults, placementFormats: placement?.['formats'] as readonly CreativeFormat[] | undefined };
};
