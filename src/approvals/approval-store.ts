import type { Knex } from 'knex';
import type { Ids } from '../access/scope.ts';
import { show, type Columns, type Shown } from '../api/columns.ts';
import type { Fault } from '../base/fault.ts';
import * as s from '../base/schema.ts';
import type { BulkOperation } from '../bookings/bulk-api.ts';
import type { EntityRecord } from '../bookings/entity-kind.ts';

/** A record as a proposal would change it. */
export interface ProposedChange {
  /** As the history names it: `line_item`. */
  readonly entity: string;
  /** null: of a record that does not exist yet. */
  readonly id: string | number | null;
  readonly before: EntityRecord | null;
  readonly after: EntityRecord | null;
}

/** expired: neither approved nor sent back in time. */
export const APPROVAL_STATES = ['open', 'approved', 'sent_back', 'withdrawn', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export interface ApprovalRow {
  readonly id: number;
  readonly publisher_id: number;
  readonly operations: readonly BulkOperation[];
  readonly changes: readonly ProposedChange[];
  readonly reasons: readonly Fault[];
  readonly note: string;
  readonly proposed_by: string;
  readonly proposed_at: Date;
  readonly expires_at: Date;
  readonly state: ApprovalState;
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
  readonly words: string | null;
}

const fault = s.record({ pointer: s.text, detail: s.text });
const change = s.record({
  entity: s.text,
  id: s.schemaFor<string | number | null>({ type: ['integer', 'string', 'null'], description: 'null: it would be created' }),
  before: s.nullOr(s.anyObject()),
  after: s.nullOr(s.anyObject()),
});

export const APPROVAL_COLUMNS = {
  id: { schema: s.integer, of: ({ id }) => id },
  publisher_id: { schema: s.integer, of: (row) => row.publisher_id },
  state: { schema: s.oneOf(APPROVAL_STATES), of: ({ state }) => state },
  reasons: { schema: s.described(s.listOf(fault), 'Why a second person is needed'), of: ({ reasons }) => reasons },
  changes: { schema: s.described(s.listOf(change), 'The records as they were proposed'), of: ({ changes }) => changes },
  note: { schema: s.text, of: ({ note }) => note },
  proposed_by: { schema: s.text, of: (row) => row.proposed_by },
  proposed_at: { schema: s.moment, of: (row) => row.proposed_at.toISOString() },
  expires_at: { schema: s.moment, of: (row) => row.expires_at.toISOString() },
  decided_by: { schema: s.orNull(s.text), of: (row) => row.decided_by },
  decided_at: { schema: s.orNull(s.moment), of: (row) => row.decided_at?.toISOString() ?? null },
  words: { schema: s.orNull(s.text, { description: 'Of who decided' }), of: ({ words }) => words },
} satisfies Columns<ApprovalRow>;
export type Approval = Shown<typeof APPROVAL_COLUMNS>;
export const showApproval = (row: ApprovalRow): Approval => show(APPROVAL_COLUMNS, row);

export type NewApproval = Pick<ApprovalRow, 'publisher_id' | 'operations' | 'changes' | 'reasons' | 'note' | 'proposed_by'>;

/** Which proposals are listed; undefined: whichever. */
export interface ApprovalsWanted {
  readonly state: ApprovalState | undefined;
  readonly proposed_by: string | undefined;
  /** They change records of this entity, and of this id. */
  readonly entity: string | undefined;
  readonly entity_id: string | undefined;
}

/** The path of the operation of a proposal that books what an agent buys. */
export const MEDIA_BUYS = '/media_buys';

/** For how long a proposal waits. */
export const APPROVAL_DAYS = 14;
/** Open proposals of a publisher. */
export const MAX_OPEN_APPROVALS = 500;

/** Changes that wait for a second person. Every method rejects when Postgres is unavailable. */
export interface ApprovalStore {
  /** Of these publishers, the newest first. */
  list(publishers: Ids, wanted: ApprovalsWanted & { readonly limit: number; readonly offset: number }): Promise<readonly ApprovalRow[]>;
  find(publishers: Ids, id: number): Promise<ApprovalRow | undefined>;
  /** Resolves to its id; undefined: there are MAX_OPEN_APPROVALS already. */
  add(approval: NewApproval): Promise<number | undefined>;
  /** Decides an open proposal; of several who do so at the same time, one does. False: it is not open any more. */
  decide(id: number, decision: Decision): Promise<boolean>;
}

export interface Decision {
  readonly state: 'approved' | 'sent_back' | 'withdrawn';
  readonly by: string;
  readonly words: string | null;
}

const STATE = `case when state = 'open' and expires_at <= now() then 'expired' else state end`;
const IS_OPEN = `state = 'open' and expires_at > now()`;
const SELECTED = `id, publisher_id, operations, changes, reasons, note, proposed_by, proposed_at, expires_at, ${STATE} as state,
  decided_by, decided_at, words`;

const CHANGES = `exists (select from jsonb_array_elements(changes) as change
  where change ->> 'entity' = coalesce(:entity, change ->> 'entity') and change ->> 'id' = coalesce(:id, change ->> 'id'))`;

export const createApprovalStore = ({ knex }: { readonly knex: Knex }): ApprovalStore => {
  const visible = (publishers: Ids): Knex.QueryBuilder => {
    const query = knex('approvals').select(knex.raw(SELECTED));
    return publishers ? query.whereIn('publisher_id', publishers) : query;
  };
  return {
    list: async (publishers, { state, proposed_by: by, entity, entity_id: id, limit, offset }) => {
      const query = visible(publishers).orderBy('id', 'desc').limit(limit).offset(offset);
      if (state !== undefined) void query.whereRaw(`${STATE} = ?`, [state]);
      if (by !== undefined) void query.where({ proposed_by: by });
      if (entity !== undefined || id !== undefined) void query.whereRaw(CHANGES, { entity: entity ?? null, id: id ?? null });
      return (await query) as readonly ApprovalRow[];
    },

    find: async (publishers, id) => (await visible(publishers).where({ id }).first()) as ApprovalRow | undefined,

    add: (approval) => knex.transaction((trx) => addWithin(trx, approval)),

    decide: (id, decision) => knex.transaction((trx) => decideWithin(trx, id, decision)),
  };
};

/** The same in the transaction that stores what is proposed. */
export const addWithin = async (
  trx: Knex.Transaction,
  { operations, changes, reasons, ...row }: NewApproval,
): Promise<number | undefined> => {
  // Not `for update`, which waits for every transaction that has stored a row of the publisher, as this one may have: two would wait for each other.
  await trx('publishers').where({ id: row.publisher_id }).forNoKeyUpdate().select('id');
  const [open] = await trx('approvals')
    .where({ publisher_id: row.publisher_id })
    .whereRaw(IS_OPEN)
    .count<{ count: string }[]>('* as count');
  if (Number(open?.count) >= MAX_OPEN_APPROVALS) return undefined;
  const json = { operations: JSON.stringify(operations), changes: JSON.stringify(changes), reasons: JSON.stringify(reasons) };
  const [stored] = await trx('approvals')
    .insert({ ...row, ...json, expires_at: trx.raw(`now() + interval '${APPROVAL_DAYS} days'`) })
    .returning<{ id: number }[]>('id');
  return stored!.id;
};

/** The same in the transaction that carries the proposal out, so that neither is done without the other. */
export const decideWithin = async (trx: Knex.Transaction, id: number, { state, by, words }: Decision): Promise<boolean> => {
  const decided = { state, decided_by: by, words, decided_at: trx.fn.now() };
  return (await trx('approvals').where({ id }).whereRaw(IS_OPEN).update(decided)) > 0;
};
