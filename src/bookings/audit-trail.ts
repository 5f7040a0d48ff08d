import type { Knex } from 'knex';
import { readPageOfRows, type PageOfRows } from './page-of-rows.ts';

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

const AUDIT_COLUMNS = ['id', 'at', 'actor', 'action', 'entity', 'entity_id', 'before', 'after'];

/** Changes, newest first, as many as fit into an answer. Rejects when Postgres is away. */
export const readAudit = async (knex: Knex, { limit, offset, where }: AuditQuery): Promise<PageOfRows<AuditRow>> => {
  const { rows, more } = await readPageOfRows<Omit<AuditRow, 'id' | 'at'> & { readonly id: string; readonly at: Date }>(
    knex,
    knex('audit').where(where),
    { columns: AUDIT_COLUMNS, order: 'desc', limit, offset, rowBytes: AUDIT_ROW_BYTES },
  );
  return {
    rows: rows.map(({ id, at, actor, action, entity, entity_id, before, after }) => ({
      id: Number(id),
      at: at.toISOString(),
      actor,
      action,
      entity,
      entity_id,
      before,
      after,
    })),
    more,
  };
};

const AUDIT_ROW_BYTES = "256 + octet_length(coalesce(before::text, '')) + octet_length(coalesce(after::text, ''))";
