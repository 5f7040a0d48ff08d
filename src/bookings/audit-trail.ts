import type { Knex } from 'knex';

/** Every change that the audit trail records. */
export const CHANGE_ACTIONS = [
  'create',
  'update',
  'delete',
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

/** One change, with the record before and after it. Never contains key material. */
export interface Change {
  readonly actor: string;
  readonly action: ChangeAction;
  readonly entity: string;
  readonly entityId: string | number;
  readonly before: object | null;
  readonly after: object | null;
}

/**
 * Records a change in the transaction that makes it, so that neither is stored without the other.
 */
export const recordChange = async (trx: Knex.Transaction, { actor, action, entity, entityId, before, after }: Change): Promise<void> => {
  await trx('audit').insert({
    actor,
    action,
    entity,
    entity_id: String(entityId),
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
  });
};
