import type { Knex } from 'knex';
import { ENTITY_ACTIONS } from './entity-kind.ts';

/** Every change that the audit trail records. */
export const CHANGE_ACTIONS = ['create', 'update', 'delete', ...ENTITY_ACTIONS, 'grant_debug'] as const;
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

/** A row of GET /api/audit. */
export interface AuditRow {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly action: ChangeAction;
  readonly entity: string;
  readonly entity_id: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Columns that GET /api/audit filters by. */
export const AUDIT_FILTERS = ['entity', 'entity_id', 'actor', 'action'] as const;

export interface AuditQuery {
  readonly limit: number;
  readonly offset: number;
  readonly where: Partial<Readonly<Record<(typeof AUDIT_FILTERS)[number], string>>>;
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

/** Changes, newest first. Rejects when Postgres is away. */
export const readAudit = async (knex: Knex, { limit, offset, where }: AuditQuery): Promise<readonly AuditRow[]> => {
  const rows = await knex('audit')
    .where(where)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .select<(Omit<AuditRow, 'id' | 'at'> & { readonly id: string; readonly at: Date })[]>(
      'id',
      'at',
      'actor',
      'action',
      'entity',
      'entity_id',
      'before',
      'after',
    );
  return rows.map((row) => ({ ...row, id: Number(row.id), at: row.at.toISOString() }));
};
