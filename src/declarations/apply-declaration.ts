import { setImmediate as otherRequests } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import { maySee } from '../access/scope.ts';
import { refusalOf } from '../api/call-rights.ts';
import type { Fault } from '../base/fault.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import type { RecordWriter } from '../bookings/catalog-writer.ts';
import { entityRoute } from '../bookings/entity-api.ts';
import { ENTITY_KINDS, type EntityRecord } from '../bookings/entity-kind.ts';
import { createEntityReader } from '../bookings/entity-reader.ts';
import { problemOf } from '../bookings/entity-routes.ts';
import { createRecordReach } from '../bookings/record-scope.ts';
import { refused, type Written } from '../bookings/written.ts';
import { changedFields, readLastChanges, wordsOf, type Change } from './change.ts';
import { matchOf, pointerIn, recordOf } from './declared-record.ts';
import { OWNERS, WRITE_ORDER } from './declared-fields.ts';
import { nameOf, readKnownRecords, type Known, type KnownRecords } from './known-records.ts';
import { fingerprintOf } from './read-bookings.ts';
import type { Entry } from './read-entries.ts';

/** What a declaration changes. */
export interface Plan {
  readonly publisherId: number | undefined;
  /** Of a publisher that was created. */
  readonly apiKey: string | undefined;
  /** A hash of what was stored before. */
  readonly state: string;
  readonly changes: readonly Change[];
  readonly unchanged: number;
  /** What the publisher has, and the declaration has not. */
  readonly undeclared: readonly Known[];
  readonly faults: readonly Fault[];
  readonly written: readonly Written[];
}

export interface ApplyOptions {
  readonly entries: readonly Entry[];
  /** Of whom it is; undefined: the declaration names it by its key. */
  readonly publisherId: number | undefined;
  readonly caller: Caller;
  /** Archives what the declaration has not. */
  readonly prune: boolean;
  /** The state of a plan: another one is refused. */
  readonly ifState: string | undefined;
  readonly dimensions: DimensionSchema;
}

/** Changes of one declaration: they hold the lock of the catalog for about 20 s. */
export const MAX_CHANGES = 5_000;
/** Comparisons between two turns of the event loop. */
const COMPARED_AT_ONCE = 20;

/** Makes the bookings of a publisher what a declaration says, in a transaction that holds the lock of the catalog. */
export const applyDeclaration = async (writer: RecordWriter, trx: Knex.Transaction, options: ApplyOptions): Promise<Plan> => {
  const { entries, caller, dimensions, prune, ifState } = options;
  const publisher = entries.find(({ table }) => table === 'publishers')!;
  const publisherId = options.publisherId ?? (await idByKey(trx, publisher, caller));
  const known = await readKnownRecords({ knex: trx, dimensions, scope: caller, publisherId, entries });
  const plan = { publisherId, apiKey: undefined as string | undefined, state: known.state };
  const nothing = { ...plan, changes: [], unchanged: 0, undeclared: [], faults: [] };
  if (ifState !== undefined && ifState !== known.state) return { ...nothing, written: [refused('stale')] };
  const lastChanges = await readLastChanges(trx, known);
  const reach = createRecordReach({ knex: trx });
  const reader = createEntityReader({ knex: trx });
  const [changes, faults, written]: [Change[], Fault[], Written[]] = [[], [], []];
  const declared = new Map<Entry, Known | undefined>();
  const entered = new Set(entries.flatMap(({ table, key, id }) => [`${table} ${String(key)}`, `${table} ${String(id)}`]));
  const isEntered = (table: EntityTable, name: string | number): boolean => entered.has(`${table} ${name}`);
  let unchanged = 0;

  /** Why the caller may not make this write, by the rules of its own route. */
  const barred = async (table: EntityTable, id: string | number | undefined): Promise<string | undefined> => {
    const route = entityRoute(ENTITY_KINDS[table], id === undefined ? 'create' : 'replace');
    return (refusalOf(route, caller) ?? (await reach(route, caller, id)))?.problem.detail;
  };
  const refuse = (entry: Entry, outcome: Written): void => {
    if (outcome.ok) return;
    const { faults: found } = outcome;
    const kind = ENTITY_KINDS[entry.table];
    if (found.length === 0) faults.push({ pointer: entry.pointer, detail: problemOf(kind, outcome).detail });
    for (const { pointer, detail } of found) faults.push({ pointer: pointerIn(entry, pointer), detail });
  };

  const ownerOf = (entry: Entry): string | number | null | undefined => {
    const { table, owner, isOpen } = entry;
    const above = OWNERS[table];
    if (above === undefined) return undefined;
    if (above === 'publishers') return isOpen ? null : plan.publisherId;
    return typeof owner === 'object' ? declared.get(owner)?.id : owner === undefined ? undefined : known.find(above, owner)?.id;
  };

  const write = async (entry: Entry): Promise<void> => {
    const kind = ENTITY_KINDS[entry.table];
    const own = plan.publisherId;
    const match = entry !== publisher ? matchOf(entry, known) : own === undefined ? undefined : known.find('publishers', own);
    const owner = ownerOf(entry);
    if (owner === undefined && OWNERS[entry.table] !== undefined) {
      const above = OWNERS[entry.table]!;
      // Of an entry that it is a part of, the fault is named already.
      if (above !== 'publishers' && typeof entry.owner !== 'object' && (entry.owner === undefined || !isEntered(above, entry.owner)))
        faults.push({ pointer: `${entry.pointer}/${ENTITY_KINDS[above].name}`, detail: 'has no record with this key' });
      return;
    }
    const { record: given, faults: missing, isWhole } = recordOf(entry, known, owner, isEntered);
    const record: EntityRecord = { ...given, external_key: entry.key ?? match?.key ?? null };
    faults.push(...missing);
    if (!isWhole) return;
    if (!match && entry.key === undefined && !kind.namedByClient)
      return void faults.push({
        pointer: `${entry.pointer}/id`,
        detail: `the publisher has no ${kind.words} with this id: give it a key instead`,
      });
    if (entry.table === 'placements' && match && !entry.isOpen && match.ownerId !== plan.publisherId) {
      const detail = match.ownerId === null ? 'is open to all publishers: say `open: true`' : 'is a placement of another publisher';
      return void faults.push({ pointer: `${entry.pointer}/id`, detail });
    }
    declared.set(entry, match);
    if (match?.fingerprint !== undefined && match.fingerprint === fingerprintOf(kind, dimensions, record)) return void unchanged++;
    const why = await barred(entry.table, match?.id);
    if (why !== undefined) return void faults.push({ pointer: entry.pointer, detail: why });
    const before = match && (await reader.find(kind, match.id));
    const sealed = kind.sealed && before ? { [kind.sealed.column]: before[kind.sealed.column] } : {};
    const outcome = match
      ? await writer.replace({ kind, id: match.id, caller }, { ...record, ...sealed })
      : await writer.create(kind, record, caller);
    written.push(outcome);
    if (!outcome.ok) return refuse(entry, outcome);
    const { api_key: apiKey, ...after } = outcome.record;
    const id = after['id'] as string | number;
    if (entry === publisher) {
      plan.publisherId = id as number;
      plan.apiKey = apiKey as string | undefined;
    }
    const now: Known = {
      ...{ table: entry.table, id, key: (after['external_key'] as string | null) ?? undefined, name: nameOf(after) },
      ...{ fingerprint: undefined, isArchived: after['archived'] === true, isOwn: !entry.isOpen, ownerId: owner ?? undefined },
    };
    known.add(now);
    declared.set(entry, now);
    const fields = changedFields(entry.table, before, after, known.named);
    const action = match ? 'update' : 'create';
    changes.push({
      ...{ action, kind: kind.name, key: now.key ?? null, id, name: now.name, fields },
      words: wordsOf(action, kind, now.name, fields, after),
      last_change: (match && lastChanges.get(`${entry.table} ${match.id}`)) ?? null,
    });
  };

  let compared = 0;
  for (const table of WRITE_ORDER)
    for (const entry of entries) {
      if (entry.table !== table) continue;
      if (changes.length > MAX_CHANGES) return { ...nothing, faults: [TOO_MANY], written };
      await write(entry);
      if (++compared % COMPARED_AT_ONCE === 0) await otherRequests();
    }

  const undeclared = await undeclaredOf(known, declared);
  if (prune)
    for (const one of undeclared) {
      const { table, id, name, key } = one;
      const kind = ENTITY_KINDS[table];
      const why = await barred(table, id);
      const outcome = why === undefined ? await writer.merge({ kind, id, caller }, { archived: true }) : refused('forbidden');
      written.push(outcome);
      if (!outcome.ok)
        faults.push({ pointer: '', detail: `${kind.words} ${key ?? id} cannot be archived: ${why ?? problemOf(kind, outcome).detail}` });
      changes.push({
        ...{ action: 'archive', kind: kind.name, key: key ?? null, id, name, fields: [] },
        words: wordsOf('archive', kind, name, [], {}),
        last_change: lastChanges.get(`${table} ${id}`) ?? null,
      });
    }
  return { ...plan, changes, unchanged, undeclared: prune ? [] : undeclared, faults, written };
};

const TOO_MANY: Fault = { pointer: '', detail: `must change at most ${MAX_CHANGES} records: apply it in parts` };

/** The publisher that the caller sees under the key of an entry, else under its id. */
const idByKey = async (trx: Knex.Transaction, { key, id }: Entry, { publishers }: Caller): Promise<number | undefined> => {
  for (const where of [key !== undefined && { external_key: key }, id !== undefined && { id: id as number }]) {
    const found = where && (await trx('publishers').where(where).first<{ id: number } | undefined>('id'));
    if (found && maySee(publishers, found.id)) return found.id;
  }
  return undefined;
};

/** What belongs to the publisher, is not archived, itself or with its owner, and is no entry. What is part of another such goes with it. */
const undeclaredOf = async (known: KnownRecords, declared: ReadonlyMap<Entry, Known | undefined>): Promise<readonly Known[]> => {
  const idsByTable = (): ReadonlyMap<EntityTable, Set<unknown>> => new Map(WRITE_ORDER.map((table) => [table, new Set()]));
  const [kept, gone] = [idsByTable(), idsByTable()];
  for (const one of declared.values()) {
    const owner = one && OWNERS[one.table];
    if (one) kept.get(one.table)!.add(one.id);
    if (owner) kept.get(owner)!.add(one.ownerId);
  }
  const found: Known[] = [];
  for (const table of WRITE_ORDER) {
    const owner = OWNERS[table];
    for (const one of table === 'publishers' ? [] : known.own(table)) {
      if (kept.get(table)!.has(one.id)) continue;
      gone.get(table)!.add(one.id);
      if (!one.isArchived && !(owner && gone.get(owner)!.has(one.ownerId))) found.push(one);
    }
    await otherRequests();
  }
  return found;
};
