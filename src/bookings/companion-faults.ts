import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';

/** Companion sets are for roadblocks: any other line item would show a companion alone. @param lineItem of a creative */
export const companionFaults = async (
  trx: Knex.Transaction,
  { table }: EntityKind,
  input: EntityRecord,
  lineItem: EntityRecord | undefined,
  before: EntityRecord | undefined,
): Promise<readonly Fault[]> => {
  if (table === 'creatives' && (input['companion_set'] ?? null) !== null && lineItem && lineItem['roadblock'] !== true)
    return [
      { pointer: '/companion_set', detail: 'needs a roadblock, which shows its creatives together: set roadblock of the line item first' },
    ];
  if (table !== 'line_items' || before?.['roadblock'] !== true || input['roadblock'] === true) return [];
  const companion = await trx('creatives')
    .where({ line_item_id: before['id'] as number, archived: false })
    .whereNotNull('companion_set')
    .first<{ id: number } | undefined>('id');
  return companion
    ? [
        {
          pointer: '/roadblock',
          detail: `cannot end while creatives are of a companion set: empty companion_set of creative ${companion.id} first`,
        },
      ]
    : [];
};
