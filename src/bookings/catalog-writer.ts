import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import type { CreativeStatus } from '../catalog/model/choices.ts';
import { newApiKey } from '../catalog/model/hash-api-key.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { isObject } from '../base/narrow.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { changedBy, recordChange, recordNumbered, type Change } from './audit-trail.ts';
import { createCheckRecord } from './check-record.ts';
import type { CopyOptions } from './copy-record.ts';
import { moveFollowers } from './followed-placements.ts';
import { keepDeleted } from './deleted-records.ts';
import { duplicateCampaign } from './duplicate-campaign.ts';
import { ENTITY_KINDS, type EntityAction, type EntityKind, type EntityRecord } from './entity-kind.ts';
import { approvalFault, withApproval } from './creative-approval.ts';
import { createEntityReader } from './entity-reader.ts';
import { matchesTag } from './entity-tag.ts';
import { currencyFaults } from './currency-faults.ts';
import { fixedFieldFaults, fixedParentFault } from './fixed-parent.ts';
import { makeGood } from './make-good.ts';
import { restoreDeleted, type PrepareAccounts } from './restore-deleted.ts';
import { secondPersonFaults, unblockFaults } from './second-person.ts';
import { usedFaults } from './used-targeting.ts';
import { shownRecord, withKept } from './shown-fields.ts';
import { patched, writable, without } from './writable.ts';
import { refused, type Written, type WriteTarget } from './written.ts';

/** The writes of the API, the actions by their names (see restoreDeleted, duplicateCampaign, makeGood). Each rejects when Postgres is away. */
export interface RecordWriter extends Readonly<Record<EntityAction, (target: WriteTarget) => Promise<Written>>> {
  create(kind: EntityKind, input: unknown, caller: Caller): Promise<Written>;
  replace(target: WriteTarget, input: unknown): Promise<Written>;
  /** Applies a JSON merge patch (RFC 7396). */
  merge(target: WriteTarget, patch: unknown): Promise<Written>;
  remove(target: WriteTarget): Promise<Written>;
}

/** Each write is a separate transaction, and resolves after its commit. */
export interface CatalogWriter extends RecordWriter {
  /** Runs writes one after the other in one transaction, which is committed if all of them are accepted. */
  together(writes: Writes): Promise<readonly Written[]>;
  /** Runs them in the same way, and undoes all of them whatever became of them. */
  tryOut(writes: Writes): Promise<readonly Written[]>;
}

/** Writes in one transaction, which other tables may take part in. */
export type Writes = (writer: RecordWriter, trx: Knex.Transaction) => Promise<readonly Written[]>;

export interface CatalogWriterOptions {
  readonly knex: Knex;
  readonly dimensions: DimensionSchema;
  readonly secretBox: SecretBox;
  readonly prepareAccounts: PrepareAccounts;
  /** Called after each commit: every replica loads the catalog. */
  readonly goLive: () => Promise<void>;
}

type Trx = Knex.Transaction;
type Row = CatalogRow & { readonly id: string | number };

/** Runs a change in a transaction that holds the lock on the catalog's version. */
type Write = (work: (trx: Trx) => Promise<Written>) => Promise<Written>;

export const createCatalogWriter = ({ knex, dimensions, secretBox, prepareAccounts, goLive }: CatalogWriterOptions): CatalogWriter => {
  /**
   * Runs changes and their audit rows in one transaction, and undoes all of them when one is refused. A trigger updates the catalog's version on
   * every change, so writers run one at a time in any case; locking that row first prevents
   * deadlocks and keeps a parent that was checked from being deleted.
   */
  const committed = async (work: (trx: Trx) => Promise<readonly Written[]>, isKept: boolean): Promise<readonly Written[]> => {
    const trx = await knex.transaction();
    try {
      await trx.raw('select version from catalog_version for update');
      const written = await work(trx);
      const accepted = isKept && written.every(({ ok }) => ok);
      await (accepted ? trx.commit() : trx.rollback());
      if (accepted && written.length > 0) await goLive();
      return written;
    } catch (fault) {
      if (!trx.isCompleted()) await trx.rollback();
      throw fault;
    }
  };

  const inOne =
    (isKept: boolean) =>
    (writes: Writes): Promise<readonly Written[]> =>
      committed((trx) => writes(writerIn(trx), trx), isKept);

  const alone: Write = async (work) => {
    const [written] = await committed(async (trx) => [await work(trx)], true);
    return written!;
  };

  const check = createCheckRecord({ dimensions, secretBox });

  const rewrite = async (
    trx: Trx,
    { kind, id }: WriteTarget,
    columns: object,
    change: Omit<Change, 'entity' | 'entityId' | 'after'>,
  ): Promise<EntityRecord> => {
    const rows = await trx(kind.table).where({ id }).update(columns).returning<Row[]>(ROWS[kind.table].columns);
    const record = kind.toRecord(returned(rows));
    await recordChange(trx, { ...change, entity: kind.name, entityId: id, after: record });
    return record;
  };

  /** Runs `work` on an existing record that still matches If-Match. */
  const changeWithin =
    (write: Write) =>
    (target: WriteTarget, work: (trx: Trx, before: EntityRecord) => Promise<Written>): Promise<Written> =>
      write(async (trx) => {
        const before = await createEntityReader({ knex: trx }).find(target.kind, target.id);
        if (!before) return refused('not_found');
        if (!matchesTag(target.ifMatch, shownRecord(target.caller, target.kind, before))) return refused('stale');
        return work(trx, before);
      });

  const store = async (trx: Trx, target: WriteTarget, before: EntityRecord, input: unknown): Promise<Written> => {
    const { kind, id, caller } = target;
    if (isObject(input) && Object.hasOwn(input, 'id') && input['id'] !== id)
      return refused('invalid', [{ pointer: '/id', detail: `must be ${id}, as in the path: an id does not change` }]);
    const checked = await check(trx, kind, isObject(input) ? { id, ...input } : input, caller, before);
    if (!checked.ok) return checked;
    const unchangeable = [...fixedFieldFaults(kind, before, checked.row), ...(await currencyFaults(trx, kind, before, checked.row))];
    if (unchangeable.length > 0) return refused('invalid', unchangeable);
    const used = checked.row['archived'] === true && before['archived'] !== true ? await usedFaults(trx, kind, id) : [];
    if (used.length > 0) return refused('in_use', used);
    const fixed = await fixedParentFault(trx, kind, before, checked.row);
    if (fixed) return refused('parent_fixed', [fixed]);
    const unapproved = await approvalFault(trx, kind, checked.row, before, caller);
    if (unapproved) return refused('forbidden', [unapproved]);
    const reasons = await secondPersonFaults(trx, kind, checked.row, before, caller);
    if (reasons.length > 0) return refused('approval_required', reasons);
    const row = await withApproval(trx, kind, checked.row, before, caller);
    const stranded = await moveFollowers(trx, kind, id, row, (follower, columns) =>
      rewrite(trx, { kind: ENTITY_KINDS.creatives, id: follower['id'] as number, caller }, columns, {
        ...{ ...changedBy(caller), action: 'update', before: follower },
      }),
    );
    if (stranded.length > 0) return refused('invalid', stranded);
    return {
      ok: true,
      record: await rewrite(trx, target, row, { ...changedBy(caller), action: 'update', before }),
      warnings: checked.warnings,
    };
  };

  const writerWithin = (write: Write): RecordWriter => {
    const change = changeWithin(write);
    const setBlocked = (target: WriteTarget, blocked: boolean): Promise<Written> =>
      change(target, async (trx, before) => {
        if ((before['blocked_at'] !== null) === blocked) return { ok: true, record: before };
        const reasons = blocked ? [] : await unblockFaults(trx, before, target.caller);
        if (reasons.length > 0) return refused('approval_required', reasons);
        const action = blocked ? 'block' : 'unblock';
        const columns = { blocked_at: blocked ? trx.fn.now() : null };
        return { ok: true, record: await rewrite(trx, target, columns, { ...changedBy(target.caller), action, before }) };
      });
    const setStatus = (target: WriteTarget, status: CreativeStatus): Promise<Written> =>
      change(target, async (trx, before) => {
        if (before['status'] === status) return { ok: true, record: before };
        return { ok: true, record: await rewrite(trx, target, { status }, { ...changedBy(target.caller), action: 'update', before }) };
      });
    return {
      create: (kind, input, caller) =>
        write(async (trx) => {
          const given = writable(kind, input);
          const checked = await check(trx, kind, kind.namedByClient ? given : without(given, ['id']), caller);
          if (!checked.ok) return checked;
          const reasons = await secondPersonFaults(trx, kind, checked.row, undefined, caller);
          if (reasons.length > 0) return refused('approval_required', reasons);
          const row = await withApproval(trx, kind, checked.row, undefined, caller);
          if (kind.namedByClient && (await trx(kind.table).where({ id: row['id'] }).first('id'))) return refused('conflict');
          const key = kind.table === 'publishers' ? newApiKey() : undefined;
          const stored = returned(
            await trx(kind.table)
              .insert({ ...row, ...key?.columns })
              .returning<Row[]>(ROWS[kind.table].columns),
          );
          const record = kind.toRecord(stored);
          await recordChange(trx, {
            ...{ ...changedBy(caller), action: 'create', entity: kind.name, entityId: stored.id, before: null, after: record },
          });
          return { ok: true, record: key ? { ...record, api_key: key.key } : record, warnings: checked.warnings };
        }),

      replace: (target, input) =>
        change(target, (trx, before) =>
          store(trx, target, before, writable(target.kind, withKept(target.caller, target.kind, before, input))),
        ),

      merge: (target, patch) =>
        change(target, (trx, before) => store(trx, target, before, isObject(patch) ? patched(target.kind, before, patch) : patch)),

      remove: (target) =>
        change(target, async (trx, before) => {
          const { kind, id, caller } = target;
          const used = await usedFaults(trx, kind, id);
          if (used.length > 0) return refused('in_use', used);
          const cascade = await createEntityReader({ knex: trx }).cascade(kind, id);
          const gone = Object.values(cascade).some((count) => count > 0) ? { ...before, deleted_with_it: cascade } : before;
          const change = { ...changedBy(caller), action: 'delete', entity: kind.name, entityId: id, before: gone, after: null } as const;
          await keepDeleted(trx, kind, id, await recordNumbered(trx, change));
          await trx(kind.table).where({ id }).delete();
          return { ok: true, record: before };
        }),

      restore: (target) => write((trx) => restoreDeleted(trx, target, prepareAccounts)),

      rotate_key: (target) =>
        change(target, async (trx, before) => {
          const { key, columns } = newApiKey();
          const record = await rewrite(trx, target, columns, { ...changedBy(target.caller), action: 'rotate_key', before });
          return { ok: true, record: { ...record, api_key: key } };
        }),

      approve: (target) => setStatus(target, 'approved'),
      reject: (target) => setStatus(target, 'rejected'),
      block: (target) => setBlocked(target, true),
      unblock: (target) => setBlocked(target, false),
      duplicate: (target) => change(target, (trx, before) => duplicateCampaign(copying(trx), before, target.caller)),
      make_good: (target) => change(target, (trx, before) => makeGood(copying(trx), before, target.caller, Date.now())),
    };
  };

  const writerIn = (trx: Trx): RecordWriter => writerWithin((work) => work(trx));
  const copying = (trx: Trx): CopyOptions => ({ knex: trx, create: writerIn(trx).create });

  return { ...writerWithin(alone), together: inOne(true), tryOut: inOne(false) };
};

const returned = ([row]: readonly Row[]): Row => {
  if (!row) throw new Error('Postgres returned no row for a record that it stored.');
  return row;
};
