import type { Knex } from 'knex';
import { MS_PER_DAY } from '../base/utc-day.ts';
import type { CalledFrom, Caller } from '../access/caller.ts';

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
  'share_proof',
  'answer_proof',
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
  /** The second person; null: none was needed. */
  readonly approvedBy?: string | null;
  /** From where; null: not known. */
  readonly from?: CalledFrom | null;
}

export const changedBy = ({ name, note, approvedBy, from }: Pick<Caller, 'name' | 'note' | 'approvedBy' | 'from'>): ChangedBy => ({
  actor: name,
  ...{ note, approvedBy, from },
});

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
  { actor, note = null, approvedBy = null, from = null, action, entity, entityId, before, after }: Change,
): Promise<number> => {
  const line = {
    actor,
    note,
    approved_by: approvedBy,
    network: from && from.network !== '' ? from.network : null,
    device: from?.device ?? null,
    action,
    entity,
    entity_id: String(entityId),
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
  };
  const [stored] = await trx('audit').insert(line).returning<{ id: string }[]>('id');
  return Number(stored?.id);
};

/** Deletes what is older than so many days, of at least a year. Rejects when Postgres is unavailable. */
export const forgetChanges = async (knex: Knex, days: number, nowMs: number): Promise<void> => {
  await knex.raw('select forget_changes(?)', [new Date(nowMs - days * MS_PER_DAY)]);
};
