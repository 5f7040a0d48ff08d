import type { Knex } from 'knex';

/** One change: who, what, and how the record stood before and after. Never key material. */
export interface Change {
  readonly actor: string;
  readonly action: 'create' | 'update' | 'delete' | 'rotate_key' | 'block' | 'unblock';
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
  readonly action: string;
  readonly entity: string;
  readonly entity_id: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

export interface AuditQuery {
  readonly limit: number;
  readonly offset: number;
  readonly where: Readonly<Record<string, string>>;
}

/** Written in the transaction of the change itself: no change without its row, no row without its change. */
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

/** Newest first. */
export const readAudit = async (knex: Knex, { limit, offset, where }: AuditQuery): Promise<readonly AuditRow[]> => {
  const rows = await knex('audit')
    .where(where)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .select<(Omit<AuditRow, 'id' | 'at'> & { id: string; at: Date })[]>(
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
