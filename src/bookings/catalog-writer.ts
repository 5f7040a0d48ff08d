import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import type { CreativeStatus } from '../catalog/model/choices.ts';
import { newApiKey } from '../catalog/model/hash-api-key.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import type { Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { recordChange, recordNumbered, type Change } from './audit-trail.ts';
import { checkReferences } from './check-references.ts';
import { keepDeleted } from './deleted-records.ts';
import { duplicateCampaign } from './duplicate-campaign.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';
import { approvalFault, withApproval } from './creative-approval.ts';
import { createEntityReader } from './entity-reader.ts';
import { matchesTag } from './entity-tag.ts';
import { fixedParentFault } from './fixed-parent.ts';
import { restoreDeleted, type PrepareAccounts } from './restore-deleted.ts';
import { sealMembers } from './seal-members.ts';
import { keptFields, shownRecord } from './shown-fields.ts';
import { patched, writable, without } from './writable.ts';
import { writeWarnings } from './write-warnings.ts';
import type { Refused, Written } from './written.ts';

export interface WriteTarget {
  readonly kind: EntityKind;
  readonly id: string | number;
  readonly caller: Caller;
  /** An If-Match header: the change is refused when the record has another tag. */
  readonly ifMatch?: string | undefined;
}

/** The writes of the API. Each rejects when Postgres is away. */
export interface RecordWriter {
  create(kind: EntityKind, input: unknown, caller: Caller): Promise<Written>;
  replace(target: WriteTarget, input: unknown): Promise<Written>;
  /** Applies a JSON merge patch (RFC 7396). */
  merge(target: WriteTarget, patch: unknown): Promise<Written>;
  remove(target: WriteTarget): Promise<Written>;
  rotateKey(target: WriteTarget): Promise<Written>;
  setBlocked(target: WriteTarget, blocked: boolean): Promise<Written>;
  /** Of a creative. */
  setStatus(target: WriteTarget, status: CreativeStatus): Promise<Written>;
  /** Of a campaign; see duplicateCampaign. */
  duplicate(target: WriteTarget): Promise<Written>;
  /** Undoes a deletion; see restoreDeleted. */
  restore(target: WriteTarget): Promise<Written>;
}

/** Each write is a separate transaction, and resolves after its commit. */
export interface CatalogWriter extends RecordWriter {
  /** Runs writes one after the other in one transaction, which is committed if all of them are accepted. */
  together(writes: (writer: RecordWriter) => Promise<readonly Written[]>): Promise<readonly Written[]>;
}

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

/** A record that may be stored. */
interface Checked {
  readonly ok: true;
  readonly row: CatalogRow;
  readonly warnings: readonly Fault[];
}

/** Runs a change in a transaction that holds the lock on the catalog's version. */
type Write = (work: (trx: Trx) => Promise<Written>) => Promise<Written>;

export const createCatalogWriter = ({ knex, dimensions, secretBox, prepareAccounts, goLive }: CatalogWriterOptions): CatalogWriter => {
  /**
   * Runs changes and their audit rows in one transaction, and undoes all of them when one is refused. A trigger updates the catalog's version on
   * every change, so writers run one at a time in any case; locking that row first prevents
   * deadlocks and keeps a parent that was checked from being deleted.
   */
  const committed = async (work: (trx: Trx) => Promise<readonly Written[]>): Promise<readonly Written[]> => {
    const trx = await knex.transaction();
    try {
      await trx.raw('select version from catalog_version for update');
      const written = await work(trx);
      const accepted = written.every(({ ok }) => ok);
      await (accepted ? trx.commit() : trx.rollback());
      if (accepted) await goLive();
      return written;
    } catch (fault) {
      if (!trx.isCompleted()) await trx.rollback();
      throw fault;
    }
  };

  const together: CatalogWriter['together'] = (writes) => committed((trx) => writes(writerWithin((work) => work(trx))));

  const alone: Write = async (work) => {
    const [written] = await committed(async (trx) => [await work(trx)]);
    return written!;
  };

  /** Checks a record against its schema, its rules and its references, and collects every fault. */
  const check = async (trx: Trx, kind: EntityKind, input: unknown, by: Caller, before?: EntityRecord): Promise<Checked | Refused> => {
    const { faults, placements } = isObject(input) ? await checkReferences(trx, kind, input, by, before) : { faults: [], placements: [] };
    const checked = kind.check(input, { dimensions, placements });
    const all = [...(checked.ok ? [] : checked.faults), ...faults];
    if (!checked.ok || all.length > 0) return refused('invalid', all);
    const row = kind.toRow(checked.record as never);
    const warnings = writeWarnings(kind, checked.record, placements);
    if (kind.sealed === undefined) return { ok: true, row, warnings };
    const stored =
      before &&
      (await trx(kind.table)
        .where({ id: before['id'] as string | number })
        .first<CatalogRow | undefined>());
    const { column } = kind.sealed;
    const given = (checked.record as Readonly<Record<string, Readonly<Record<string, string>>>>)[column] ?? {};
    const sealed = sealMembers(secretBox, kind.sealed, given, row, stored);
    return sealed.ok
      ? { ok: true, row: { ...row, [column]: JSON.stringify(sealed.members) }, warnings }
      : refused('invalid', sealed.faults);
  };

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
    const fixed = await fixedParentFault(trx, kind, before, checked.row);
    if (fixed) return refused('parent_fixed', [fixed]);
    const unapproved = await approvalFault(trx, kind, checked.row, before, caller);
    if (unapproved) return refused('forbidden', [unapproved]);
    const row = await withApproval(trx, kind, checked.row, before, caller);
    return {
      ok: true,
      record: await rewrite(trx, target, row, { actor: caller.name, action: 'update', before }),
      warnings: checked.warnings,
    };
  };

  const writerWithin = (write: Write): RecordWriter => {
    const change = changeWithin(write);
    return {
      create: (kind, input, caller) =>
        write(async (trx) => {
          const given = writable(kind, input);
          const checked = await check(trx, kind, kind.namedByClient ? given : without(given, ['id']), caller);
          if (!checked.ok) return checked;
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
            actor: caller.name,
            action: 'create',
            entity: kind.name,
            entityId: stored.id,
            before: null,
            after: record,
          });
          return { ok: true, record: key ? { ...record, api_key: key.key } : record, warnings: checked.warnings };
        }),

      replace: (target, input) => change(target, (trx, before) => store(trx, target, before, replacement(target, before, input))),

      merge: (target, patch) =>
        change(target, (trx, before) => store(trx, target, before, isObject(patch) ? patched(target.kind, before, patch) : patch)),

      remove: (target) =>
        change(target, async (trx, before) => {
          const { kind, id, caller } = target;
          const cascade = await createEntityReader({ knex: trx }).cascade(kind, id);
          const gone = Object.values(cascade).some((count) => count > 0) ? { ...before, deleted_with_it: cascade } : before;
          const change = { actor: caller.name, action: 'delete', entity: kind.name, entityId: id, before: gone, after: null } as const;
          await keepDeleted(trx, kind, id, await recordNumbered(trx, change));
          await trx(kind.table).where({ id }).delete();
          return { ok: true, record: before };
        }),

      restore: (target) => write((trx) => restoreDeleted(trx, target, prepareAccounts)),

      rotateKey: (target) =>
        change(target, async (trx, before) => {
          const { key, columns } = newApiKey();
          const record = await rewrite(trx, target, columns, { actor: target.caller.name, action: 'rotate_key', before });
          return { ok: true, record: { ...record, api_key: key } };
        }),

      setBlocked: (target, blocked) =>
        change(target, async (trx, before) => {
          if ((before['blocked_at'] !== null) === blocked) return { ok: true, record: before };
          const action = blocked ? 'block' : 'unblock';
          const columns = { blocked_at: blocked ? trx.fn.now() : null };
          return { ok: true, record: await rewrite(trx, target, columns, { actor: target.caller.name, action, before }) };
        }),

      setStatus: (target, status) =>
        change(target, async (trx, before) => {
          if (before['status'] === status) return { ok: true, record: before };
          return { ok: true, record: await rewrite(trx, target, { status }, { actor: target.caller.name, action: 'update', before }) };
        }),

      duplicate: (target) =>
        change(target, (trx, before) =>
          duplicateCampaign({ knex: trx, create: writerWithin((work) => work(trx)).create }, before, target.caller),
        ),
    };
  };

  return { ...writerWithin(alone), together };
};

/** What a record is replaced with: what its caller does not see of it stays. */
const replacement = ({ kind, caller }: WriteTarget, before: EntityRecord, input: unknown): unknown =>
  writable(kind, isObject(input) ? { ...keptFields(caller, kind, before), ...input } : input);

const returned = ([row]: readonly Row[]): Row => {
  if (!row) throw new Error('Postgres returned no row for a record that it stored.');
  return row;
};

const refused = (refusal: Refused['refusal'], faults: readonly Fault[] = []): Refused => ({ ok: false, refusal, faults });
