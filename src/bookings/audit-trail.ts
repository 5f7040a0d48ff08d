import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';

/** Every change that the audit trail records. */
export const CHANGE_ACTIONS = [
  'create',
  'update',
  'delete',
  'restore',
  'rotate_key',
  'block',
  'unblock',
  'grant_debug',
  'share_report',
  'close_month',
  'export_events',
  'rebuild_counters',
] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** Who changes something, and why. */
export interface ChangedBy {
  readonly actor: string;
  /** In the words of who changes it; null: not said. */
  readonly note?: string | null;
}

export const changedBy = ({ name, note }: Pick<Caller, 'name' | 'note'>): ChangedBy => ({ actor: name, note });

/** One change, with the record before and after it. Never contains key material. */
export interface Change extends ChangedBy {
  readonly action: ChangeAction;
  readonly entity: string;
  readonly entityId: string | number;
  readonly before: object | null;
  readonly after: object | null;
}

/**
 * Records a change in the transaction that makes it, so that neither is stored without the other.
 */
export const recordChange = async (trx: Knex.Transaction, change: Change): Promise<void> => {
  await recordNumbered(trx, change);
};

/** The same; resolves to the id of the line. */
export const recordNumbered = async (
  trx: Knex.Transaction,
  { actor, note = null, action, entity, entityId, before, after }: Change,
): Promise<number> => {
  const line = {
    actor,
    note,
    action,
    entity,
    entity_id: String(entityId),
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
  };
  const [stored] = await trx('audit').insert(line).returning<{ id: string }[]>('id');
  return Number(stored?.id);
};
