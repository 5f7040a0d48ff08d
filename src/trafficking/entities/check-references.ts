import type { Knex } from 'knex';
import type { Fault } from '../../base/fault.ts';
import type { CreativeFormat } from '../../catalog/model/entities.ts';
import { ENTITY_KINDS, MAX_ENTITY_ID, type EntityKind, type EntityRecord } from './entity-kind.ts';

export interface CheckedReferences {
  readonly faults: readonly Fault[];
  /** Formats of the placement that a creative refers to. */
  readonly placementFormats: readonly CreativeFormat[] | undefined;
}

/**
 * Checks that each parent of a record exists, and that the placement and the line item of a
 * creative belong to the same publisher. Malformed ids are left to the schema.
 */
export const checkReferences = async (trx: Knex.Transaction, { parents }: EntityKind, input: EntityRecord): Promise<CheckedReferences> => {
  const faults: Fault[] = [];
  const found = new Map<string, EntityRecord>();
  for (const { field, table } of parents) {
    const id = input[field];
    if (!isWellFormed(ENTITY_KINDS[table], id)) continue;
    const parent = (await trx(table).where({ id }).first()) as EntityRecord | undefined;
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

/** Whether Postgres can compare the value with an id. */
const isWellFormed = ({ namedByClient }: EntityKind, id: unknown): id is string | number =>
  namedByClient ? typeof id === 'string' : Number.isInteger(id) && Math.abs(id as number) <= MAX_ENTITY_ID;
