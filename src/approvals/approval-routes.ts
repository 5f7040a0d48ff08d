import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { mayDo, type Caller } from '../access/caller.ts';
import { PERMISSION_NAMES } from '../access/permissions.ts';
import { maySee } from '../access/scope.ts';
import type { RecordReach } from '../api/call-rights.ts';
import { answer, noSuch, refuse, type Answered, type Handlers, type Refused as Refusal } from '../api/route.ts';
import type { Fault } from '../base/fault.ts';
import { changedBy, recordChange } from '../bookings/audit-trail.ts';
import type { BulkOperation } from '../bookings/bulk-api.ts';
import { faultsAt, readOperation, runnerOf, type Step } from '../bookings/bulk-steps.ts';
import type { CatalogWriter, RecordWriter } from '../bookings/catalog-writer.ts';
import { createEntityReader } from '../bookings/entity-reader.ts';
import { publisherOf } from '../bookings/second-person.ts';
import { refused, type Refused, type Written } from '../bookings/written.ts';
import type { Finance } from '../finance/finance.ts';
import type { APPROVAL_API } from './approval-api.ts';
import type { ApprovalMails } from './approval-mails.ts';
import {
  decideWithin,
  MAX_OPEN_APPROVALS,
  MEDIA_BUYS,
  showApproval,
  type Approval,
  type ApprovalRow,
  type ApprovalStore,
  type Decision,
  type ProposedChange,
} from './approval-store.ts';

export interface ApprovalRoutesOptions {
  readonly knex: Knex;
  readonly writer: CatalogWriter;
  readonly reach: RecordReach;
  readonly finance: Finance;
  readonly approvals: ApprovalStore;
  readonly mails: ApprovalMails | undefined;
  /** Books a media buy that waited. */
  readonly bookMediaBuy: (records: RecordWriter, trx: Knex.Transaction, id: number, caller: Caller) => Promise<readonly Written[]>;
}

/** A proposal that may be stored. */
type Proposed = Pick<ApprovalRow, 'publisher_id' | 'changes' | 'reasons'>;

/** Records whose changes can wait for a second person. */
const PROPOSABLE: ReadonlySet<string> = new Set(['campaigns', 'line_items', 'creatives']);
const CLOSING = '/finance/close';

/** Changes that a publisher lets a second person approve. */
export const approvalRoutes = (options: ApprovalRoutesOptions): Handlers<typeof APPROVAL_API> => {
  const { knex, writer, reach, finance, approvals, mails, bookMediaBuy } = options;

  const proposedRecords = async (operations: readonly BulkOperation[], caller: Caller): Promise<Proposed | Refusal> => {
    const steps = operations.map(readOperation);
    const foreign = steps.findIndex((step) => step !== undefined && !PROPOSABLE.has(step.kind.table));
    if (foreign >= 0)
      return invalid([{ pointer: `/operations/${foreign}/path`, detail: 'must be of a campaign, a line item or a creative' }]);
    const asked = await writer.tryOut(await runnerOf(steps, caller, reach));
    const reasons = refusedAs(asked, steps, (refusal) => refusal === 'approval_required');
    const faults = refusedAs(asked, steps, (refusal) => refusal !== 'approval_required');
    if (faults.length > 0) return invalid(faults);
    if (reasons.length === 0) return refuse('conflict', 'This change needs no second person: make it.');
    const tried = await writer.tryOut(await runnerOf(steps, asApproved(caller, caller.name), reach));
    const hidden = refusedAs(tried, steps, () => true);
    if (hidden.length > 0) return invalid(hidden);
    const changes: ProposedChange[] = [];
    const publishers = new Set<number>();
    for (const [i, step] of steps.entries()) {
      const written = tried[i];
      if (!step || !written?.ok) continue;
      const before = step.id === undefined ? undefined : await createEntityReader({ knex }).find(step.kind, step.id);
      const { id: _, ...created } = written.record;
      const after = step.verb === 'delete' ? null : before ? written.record : created;
      changes.push({ entity: step.kind.name, id: step.id ?? null, before: before ?? null, after });
      publishers.add((await publisherOf(knex, written.record)) ?? 0);
    }
    const [publisherId = 0, ...others] = publishers;
    if (others.length > 0) return invalid([{ pointer: '/operations', detail: 'must be of one publisher' }]);
    return { publisher_id: publisherId, changes, reasons };
  };

  const proposedClosing = async (body: unknown, caller: Caller): Promise<Proposed | Refusal> => {
    const closing = closingOf(body);
    if (!closing) return invalid([{ pointer: '/operations/0/body', detail: 'must have publisher_id and month' }]);
    const { publisherId, month } = closing;
    const sees = caller.advertisers === null && maySee(caller.publishers, publisherId);
    const statement = sees ? await finance.statement(publisherId, month) : undefined;
    if (!statement || !mayDo(caller, 'finance.write'))
      return invalid([{ pointer: '/operations/0/path', detail: 'you cannot close this month' }]);
    if (statement.closed) return refuse('conflict', 'The month is closed already.');
    const reasons = (await finance.closeFaults(publisherId, caller)).map(({ detail }) => ({ pointer: '/operations/0', detail }));
    if (reasons.length === 0) return refuse('conflict', 'This change needs no second person: make it.');
    return {
      publisher_id: publisherId,
      changes: [{ entity: 'publisher', id: publisherId, before: null, after: { month_closed: month } }],
      reasons,
    };
  };

  const carryOut = async ({ id, operations, changes, proposed_by: proposer, note }: ApprovalRow, by: Caller, decision: Decision) => {
    const caller = { ...asApproved(by, by.name), name: proposer, from: null, note: note === '' ? null : note };
    const closing = closingIn(operations);
    if (closing) {
      const { publisherId, month } = closing;
      const change = { action: 'close_month', entity: 'publisher', entityId: publisherId, before: null, after: { month } } as const;
      const refusal = await finance.close(publisherId, month, proposer, async (trx) => {
        if (!(await decideWithin(trx, id, decision))) throw new Error('The proposal was decided while its month was closed.');
        await recordChange(trx, { ...change, ...changedBy(caller) });
      });
      return refusal && refuse('conflict', `The month cannot be closed: ${refusal}.`);
    }
    const buy = mediaBuyIn(operations);
    const steps = buy === undefined ? operations.map(readOperation) : [];
    const run = await runnerOf(steps, caller, reach);
    const written = await writer.together(async (within, trx) => {
      if (!(await decideWithin(trx, id, decision))) return [refused('conflict')];
      if (buy !== undefined) return bookMediaBuy(within, trx, buy, caller);
      const reader = createEntityReader({ knex: trx });
      for (const [i, { before }] of changes.entries()) {
        const step = steps[i];
        const now = step?.id === undefined ? undefined : await reader.find(step.kind, step.id);
        if (before && !isDeepStrictEqual(JSON.parse(JSON.stringify(now ?? null)), before)) return [refused('stale')];
      }
      return run(within);
    });
    const [first] = written.filter((one) => !one.ok);
    if (!first) return undefined;
    if (first.refusal === 'conflict' && written.length === 1) return decided();
    if (first.refusal === 'stale') return refuse('precondition_failed', 'A record has changed since this was proposed: send it back.');
    return invalid(refusedAs(written, steps, () => true));
  };

  /** A proposal that is not decided yet, of the publishers of the caller. */
  const openOne = async (id: number, caller: Caller): Promise<ApprovalRow | Refusal> => {
    const row = await approvals.find(caller.publishers, id);
    if (!row) return noSuch('proposal');
    return row.state === 'open' ? row : decided();
  };

  /** The answer does not wait for the mail. */
  const tell = async (id: number, what: 'proposed' | 'decided'): Promise<Answered<Approval> | Refusal> => {
    const row = await approvals.find(null, id);
    if (!row) return noSuch('proposal');
    void mails?.[what](row);
    return answer(showApproval(row));
  };

  const decide = async (id: number, decision: Decision): Promise<Answered<Approval> | Refusal> =>
    (await approvals.decide(id, decision)) ? tell(id, 'decided') : decided();

  return {
    listApprovals: async (page, { caller }) => answer((await approvals.list(caller.publishers, page)).map((row) => showApproval(row))),

    getApproval: async ({ id }, { caller }) => {
      const row = await approvals.find(caller.publishers, id);
      return row ? answer(showApproval(row)) : noSuch('proposal');
    },

    proposeChange: async ({ body: { operations, note } }, { caller, actor }) => {
      const [first, ...others] = operations;
      const isClosing = first !== undefined && others.length === 0 && isOfClosing(first);
      const proposed = isClosing ? await proposedClosing(first.body, caller) : await proposedRecords(operations, caller);
      if ('kind' in proposed) return proposed;
      const id = await approvals.add({ ...proposed, operations, note, proposed_by: actor });
      return id === undefined
        ? refuse('conflict', `The publisher has ${MAX_OPEN_APPROVALS} open proposals: decide some first.`)
        : tell(id, 'proposed');
    },

    approveChange: async ({ id, body: { words } }, { caller }) => {
      const row = await openOne(id, caller);
      if ('kind' in row) return row;
      if (caller.kind !== 'person') return refuse('forbidden', 'A person approves a change, signed in: tokens cannot.');
      if (row.proposed_by === caller.name) return refuse('forbidden', 'You have proposed this change: someone else approves it.');
      const refusal = await carryOut(row, caller, { state: 'approved', by: caller.name, words: words === '' ? null : words });
      return refusal ?? tell(id, 'decided');
    },

    sendBackChange: async ({ id, body: { words } }, { caller, actor }) => {
      const row = await openOne(id, caller);
      if ('kind' in row) return row;
      if (words === '') return refuse('invalid_request', 'The words have faults.', [{ pointer: '/words', detail: 'say why' }]);
      return decide(id, { state: 'sent_back', by: actor, words });
    },

    withdrawChange: async ({ id }, { caller, actor }) => {
      const row = await openOne(id, caller);
      // Callers for some advertisers do not see the proposals of others.
      if (caller.advertisers && 'proposed_by' in row && row.proposed_by !== actor) return noSuch('proposal');
      if ('kind' in row) return row;
      if (row.proposed_by !== actor) return refuse('forbidden', 'Someone else has proposed this change: send it back.');
      return decide(id, { state: 'withdrawn', by: actor, words: null });
    },
  };
};

/** What someone has proposed who had the permissions for it, and someone else approves. */
const asApproved = (caller: Caller, approvedBy: string): Caller => ({ ...caller, approvedBy, permissions: new Set(PERMISSION_NAMES) });

const invalid = (faults: readonly Fault[]): Refusal => refuse('invalid_request', 'The proposal has faults.', faults);
const decided = (): Refusal => refuse('conflict', 'The proposal is not open any more.');

/** The faults of the operations that were refused in such a way. */
const refusedAs = (
  written: readonly Written[],
  steps: readonly (Step | undefined)[],
  isSuch: (refusal: Refused['refusal']) => boolean,
): readonly Fault[] => written.flatMap((one, i) => (!one.ok && isSuch(one.refusal) ? faultsAt(i, one, steps[i]) : []));

const isOfClosing = ({ method, path }: BulkOperation): boolean => method === 'POST' && path.replace(/^\/api(?=\/)/, '') === CLOSING;
const closingIn = ([first]: readonly BulkOperation[]) => (first && isOfClosing(first) ? closingOf(first.body) : undefined);

/** The media buy that a proposal books; undefined: it is of something else. Buyers' agents alone propose one. */
const mediaBuyIn = ([first]: readonly BulkOperation[]): number | undefined =>
  first?.path === MEDIA_BUYS ? (first.body as { readonly media_buy_id: number }).media_buy_id : undefined;

const closingOf = (body: unknown): { readonly publisherId: number; readonly month: string } | undefined => {
  const { publisher_id: publisherId, month } = (body ?? {}) as { readonly publisher_id?: unknown; readonly month?: unknown };
  const isWhole = typeof publisherId === 'number' && typeof month === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(month);
  return isWhole ? { publisherId, month } : undefined;
};
