import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import type { EntityKind } from './entity-kind.ts';

const MAX_NAMED = 5;

/**
 * Why a targeting is neither deleted nor archived: line items name it, and would run everywhere without it.
 * None for records of other kinds.
 */
export const usedFaults = async (trx: Knex.Transaction, { table }: EntityKind, id: string | number): Promise<readonly Fault[]> => {
  if (table !== 'targetings') return [];
  const users = await trx('line_items').where({ targeting_id: id }).orderBy('id').select<{ id: number; name: string }[]>('id', 'name');
  if (users.length === 0) return [];
  const named = users.slice(0, MAX_NAMED).map((user) => (user.name === '' ? `${user.id}` : `${user.id} (${user.name})`));
  const more = users.length > MAX_NAMED ? ` and ${users.length - MAX_NAMED} more` : '';
  return [
    { pointer: '', detail: `line items name it: ${named.join(', ')}${more}. Set their targeting_id to another one or to null first` },
  ];
};
