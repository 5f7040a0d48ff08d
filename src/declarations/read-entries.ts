import { setImmediate as otherRequests } from 'node:timers/promises';
import { pointerStep, type Fault } from '../base/fault.ts';
import { isBoundedJson, MAX_JSON_DEPTH } from '../base/is-bounded-json.ts';
import { isObject } from '../base/narrow.ts';
import { parseJson } from '../base/parse-json.ts';
import { MAX_ID } from '../base/schema.ts';
import { ENTITY_TABLES, type EntityTable } from '../catalog/entities/entities.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import { DECLARATION_VERSION } from './declaration.ts';
import { DECLARED_FIELDS, OWNERS, partOf, TOP_LISTS } from './declared-fields.ts';

/** One record of a declaration. */
export interface Entry {
  readonly table: EntityTable;
  readonly key: string | undefined;
  /** Of a placement the one that it was given; of others an id of the installation. */
  readonly id: string | number | undefined;
  /** What it is a part of: the entry around it, or the key or id that it names. */
  readonly owner: Entry | string | number | undefined;
  /** By their names in declarations. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Of a placement: it belongs to all publishers. */
  readonly isOpen: boolean;
  /** To it in the document. */
  readonly pointer: string;
}

export interface Entries {
  readonly installation: string | undefined;
  readonly entries: readonly Entry[];
  readonly faults: readonly Fault[];
}

const MAX_LINE_BYTES = 1024 * 1024;
const MAX_LINE_VALUES = 5_000;
/** Lines between two turns of the event loop: about a millisecond. */
const LINES_AT_ONCE = 50;
const MAX_FAULTS = 50;
/** Records that a declaration may have. */
export const MAX_ENTRIES = 20_000;

interface Reading {
  installation: string | undefined;
  readonly entries: Entry[];
  readonly faults: Fault[];
}

/** The records of a declaration as one JSON value. */
export const readDocument = (document: unknown): Entries => {
  const reading: Reading = { installation: undefined, entries: [], faults: [] };
  if (isObject(document)) {
    const { publisher, ...lists } = document;
    for (const [name, value] of Object.entries(lists))
      if (!readHead(reading, name, value, `/${name}`)) readList(reading, name, value, undefined, `/${name}`);
    if (publisher !== undefined) readRecord(reading, 'publishers', publisher, undefined, '/publisher');
  } else reading.faults.push({ pointer: '', detail: 'must be a JSON object' });
  return checked(reading);
};

/**
 * The records of a declaration as lines of JSON, each of one record: `{"campaign": {…}}`, in any order. A record may hold its
 * parts, or these name it: `{"line_item": {"campaign": "spring", …}}`. Lines of many megabytes are read in small steps.
 */
export const readLines = async (body: Buffer): Promise<Entries> => {
  const reading: Reading = { installation: undefined, entries: [], faults: [] };
  let number = 0;
  for (let from = 0; from < body.length && reading.faults.length < MAX_FAULTS; number++) {
    const end = body.indexOf(10, from);
    const line = body.subarray(from, end < 0 ? body.length : end);
    from = end < 0 ? body.length : end + 1;
    readLine(reading, line, `/${number}`);
    if (number % LINES_AT_ONCE === 0) await otherRequests();
  }
  return checked(reading);
};

const readLine = (reading: Reading, line: Buffer, pointer: string): void => {
  if (line.toString('latin1', 0, 64).trim() === '' && line.toString('utf8').trim() === '') return;
  const limits = `must be one JSON object of at most ${MAX_LINE_BYTES} bytes, ${MAX_JSON_DEPTH} levels and ${MAX_LINE_VALUES} values`;
  const value = line.length <= MAX_LINE_BYTES && isBoundedJson(line, MAX_LINE_VALUES) ? parseJson(line.toString('utf8')) : undefined;
  if (!isObject(value)) return void reading.faults.push({ pointer, detail: limits });
  for (const [name, record] of Object.entries(value)) {
    const table = ENTITY_TABLES.find((one) => ENTITY_KINDS[one].name === name);
    const at = pointer + pointerStep(name);
    if (table) readRecord(reading, table, record, undefined, at);
    else if (!readHead(reading, name, record, at)) reading.faults.push({ pointer: at, detail: 'is not a kind of record' });
  }
};

/** Whether it is what a declaration says of itself. */
const readHead = (reading: Reading, name: string, value: unknown, pointer: string): boolean => {
  if (name === 'installation') {
    if (typeof value === 'string') reading.installation = value;
    else reading.faults.push({ pointer, detail: 'must be text' });
    return true;
  }
  if (name !== 'version') return false;
  if (value !== DECLARATION_VERSION) reading.faults.push({ pointer, detail: `must be ${DECLARATION_VERSION}` });
  return true;
};

const readList = (reading: Reading, name: string, value: unknown, owner: Entry | undefined, pointer: string): void => {
  const part = owner && partOf(owner.table);
  const table = owner ? (part === name ? part : undefined) : TOP_LISTS.find((list) => list === name);
  if (!table) return void reading.faults.push({ pointer, detail: 'is not a known field' });
  if (!Array.isArray(value)) return void reading.faults.push({ pointer, detail: 'must be a list' });
  for (const [i, record] of value.entries()) readRecord(reading, table, record, owner, `${pointer}/${i}`);
};

const readRecord = (reading: Reading, table: EntityTable, record: unknown, around: Entry | undefined, pointer: string): void => {
  if (!isObject(record)) return void reading.faults.push({ pointer, detail: 'must be an object' });
  const kind = ENTITY_KINDS[table];
  const { key, id, ...rest } = record;
  const above = OWNERS[table];
  const ownerName = above === 'publishers' || above === undefined ? undefined : ENTITY_KINDS[above].name;
  const { open, ...others } = table === 'placements' ? rest : { open: false, ...rest };
  const { [ownerName ?? '']: named, ...members } = others as Readonly<Record<string, unknown>>;
  const { faults } = reading;
  if (key !== undefined && (typeof key !== 'string' || key === '')) faults.push({ pointer: `${pointer}/key`, detail: 'must be text' });
  const isId = kind.namedByClient
    ? typeof id === 'string' && id !== ''
    : Number.isInteger(id) && (id as number) > 0 && (id as number) <= MAX_ID;
  if (id !== undefined && !isId)
    faults.push({ pointer: `${pointer}/id`, detail: kind.namedByClient ? 'must be text' : 'must be the id of a record' });
  if (id === undefined && (kind.namedByClient || key === undefined))
    faults.push({ pointer: `${pointer}/${kind.namedByClient ? 'id' : 'key'}`, detail: 'is required: the record is found by it' });
  if (table === 'placements' && open !== undefined && typeof open !== 'boolean')
    faults.push({ pointer: `${pointer}/open`, detail: 'must be true or false' });
  if (ownerName !== undefined && (around ? named !== undefined : typeof named !== 'string' && typeof named !== 'number'))
    faults.push({
      pointer: `${pointer}/${ownerName}`,
      detail: around
        ? `is the ${ENTITY_KINDS[above!].words} around it already`
        : `is required: the key of its ${ENTITY_KINDS[above!].words}`,
    });
  const known = new Set(DECLARED_FIELDS[table].map(({ name }) => name));
  const entry: Entry = {
    ...{ table, pointer, key: typeof key === 'string' ? key : undefined, isOpen: open === true },
    id: isId ? (id as string | number) : undefined,
    owner: around ?? (typeof named === 'string' || typeof named === 'number' ? named : undefined),
    fields: Object.fromEntries(Object.entries(members).filter(([name]) => known.has(name))),
  };
  reading.entries.push(entry);
  for (const [name, value] of Object.entries(members))
    if (!known.has(name)) readList(reading, name, value, entry, pointer + pointerStep(name));
};

/** With the faults of the declaration as a whole. */
const checked = ({ installation, entries, faults }: Reading): Entries => {
  const publishers = entries.filter(({ table }) => table === 'publishers');
  const all = [...faults];
  if (publishers.length === 0) all.push({ pointer: '/publisher', detail: 'is required' });
  for (const { pointer } of publishers.slice(1)) all.push({ pointer, detail: 'is a second publisher: a declaration is of one' });
  if (entries.length > MAX_ENTRIES) all.push({ pointer: '', detail: `must have at most ${MAX_ENTRIES} records` });
  const seen = new Map<string, Entry>();
  for (const entry of entries)
    for (const name of [entry.key === undefined ? [] : `key ${entry.key}`, entry.id === undefined ? [] : `id ${entry.id}`].flat()) {
      const first = seen.get(`${entry.table} ${name}`);
      if (first) all.push({ pointer: `${entry.pointer}/${name.slice(0, name.indexOf(' '))}`, detail: `is that of ${first.pointer} too` });
      else seen.set(`${entry.table} ${name}`, entry);
    }
  return { installation, entries, faults: all };
};
