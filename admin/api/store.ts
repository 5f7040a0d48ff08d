import { PARENTS } from '../bookings/forms/entity-fields.ts';
import type { Api } from './api.ts';
import { createListParts, type ListParts } from './list-parts.ts';
import { KINDS, type Dimensions, type Kind, type Problem, type Records } from './wire.ts';

/** Records in the order of the service, as far as they were read. */
export interface Listing<T> {
  readonly rows: readonly T[];
  /** How many there are in all. */
  readonly total: number;
  readonly more: boolean;
}

const PAGE_SIZE = 500;
/** Ids of one request. */
const MAX_IDS = 100;
/** Two: whether there is only one. */
const MAX_FIRST = 2;
/** Lists that are kept for Back. */
const MAX_LISTINGS = 12;

type AnyRecord = Records[Kind];
type AnyListing = Listing<AnyRecord>;

const firstOf = (problems: readonly (Problem | undefined)[]): Problem | undefined => problems.find((problem) => problem);

export interface StoreOptions {
  readonly api: Api;
  /** Records are read again. */
  readonly onRefresh: () => void;
  /** What a screen wanted is there. */
  readonly onRead: () => void;
}

/**
 * Records as last read. The page reads what a screen shows: a part of a list, and the records that
 * these refer to. `query`: the parameters of the list, as text.
 */
export const createStore = ({ api, onRefresh, onRead }: StoreOptions) => {
  const listings = new Map<string, AnyListing>();
  const known = new Map<string, AnyRecord>();
  const counted = new Map<Kind, AnyListing>();
  /** What the screen has read: `campaigns?q=boots`, and `campaigns 12`. */
  const used = new Set<string>();
  const needed = new Set<string>();
  let isCounted = false;
  let dimensions: Dimensions = {};

  const remember = (kind: Kind, rows: readonly AnyRecord[]): void => {
    for (const row of rows) {
      known.set(`${kind} ${row.id}`, row);
      needed.add(`${kind} ${row.id}`);
    }
  };

  const readParents = async (kind: Kind, rows: readonly AnyRecord[]): Promise<Problem | undefined> => {
    const ids = new Map<Kind, (string | number)[]>();
    for (const row of rows as readonly unknown[] as readonly Readonly<Record<string, string | number | readonly string[] | null>>[])
      for (const { field, parent } of PARENTS[kind]) ids.set(parent, [...(ids.get(parent) ?? []), ...[row[field] ?? []].flat()]);
    return firstOf(await Promise.all(Array.from(ids, ([parent, some]) => ensure(parent, ...some))));
  };

  const ensure = async (kind: Kind, ...ids: readonly (string | number)[]): Promise<Problem | undefined> => {
    const missing = [...new Set(ids)].filter((id) => !needed.has(`${kind} ${id}`));
    const parts = Array.from({ length: Math.ceil(missing.length / MAX_IDS) }, (_, i) => missing.slice(i * MAX_IDS, (i + 1) * MAX_IDS));
    const read = async (some: readonly (string | number)[]): Promise<Problem | undefined> => {
      for (const id of some) needed.add(`${kind} ${id}`);
      const rows: AnyRecord[] = [];
      for (let more = true; more;) {
        const query = new URLSearchParams([...some.map((id) => ['id', String(id)]), ['archived', 'true'], ['offset', String(rows.length)]]);
        const answer = await api.records.list(kind, query.toString());
        if (!answer.ok) return answer.problem;
        rows.push(...answer.value);
        more = answer.more === true && answer.value.length > 0;
      }
      const found = new Set(rows.map(({ id }) => String(id)));
      for (const id of some) if (!found.has(String(id))) known.delete(`${kind} ${id}`);
      remember(kind, rows);
      return readParents(kind, rows);
    };
    return firstOf(await Promise.all(parts.map(read)));
  };

  /** Adds a page to rows that were read before; replaces the listing when it is complete enough. */
  const readFrom = async (kind: Kind, query: string, before: readonly AnyRecord[], atLeast: number): Promise<Problem | undefined> => {
    const key = `${kind}?${query}`;
    used.add(key);
    const rows = new Map(before.map((row) => [row.id, row]));
    let offset = before.length;
    for (;;) {
      const limit = Math.max(1, Math.min(PAGE_SIZE, atLeast - offset));
      const answer = await api.records.list(kind, `${query}${query && '&'}limit=${limit}&offset=${offset}`);
      if (!answer.ok) return answer.problem;
      remember(kind, answer.value);
      for (const row of answer.value) rows.set(row.id, row);
      offset += answer.value.length;
      const more = answer.more === true && answer.value.length > 0;
      if (more && offset < atLeast) continue;
      listings.delete(key);
      listings.set(key, { rows: [...rows.values()], total: answer.total ?? rows.size, more });
      for (const old of listings.keys()) if (listings.size > MAX_LISTINGS && !used.has(old)) listings.delete(old);
      return readParents(kind, [...rows.values()].slice(before.length));
    }
  };

  const listing = <K extends Kind>(kind: K, query: string): Listing<Records[K]> | undefined =>
    listings.get(`${kind}?${query}`) as Listing<Records[K]> | undefined;

  const parts = createListParts<AnyRecord>(async (kind, query, offset, limit) => {
    const answer = await api.records.list(kind, `${query}${query && '&'}limit=${limit}&offset=${offset}`);
    if (!answer.ok) return answer;
    remember(kind, answer.value);
    const problem = await readParents(kind, answer.value);
    return problem ? { ok: false, problem } : answer;
  });

  const countKind = async (kind: Kind): Promise<Problem | undefined> => {
    const answer = await api.records.list(kind, `limit=${MAX_FIRST}`);
    if (!answer.ok) return answer.problem;
    for (const row of answer.value) known.set(`${kind} ${row.id}`, row);
    counted.set(kind, { rows: answer.value, total: answer.total ?? answer.value.length, more: false });
    return undefined;
  };

  return {
    /** undefined: not read yet. A list that an earlier screen has read is there until it is read again. */
    listing,
    /** Reads a list from its beginning: all of it, or at least so many records. */
    read: (kind: Kind, query: string, atLeast = Infinity) => readFrom(kind, query, [], atLeast),
    /** A list for a part of a screen: it is read when the screen first asks for it, and the page is drawn again. */
    wanted: <K extends Kind>(kind: K, query: string, atLeast = Infinity): Listing<Records[K]> | undefined => {
      if (!used.has(`${kind}?${query}`)) void readFrom(kind, query, [], atLeast).then(onRead);
      return listing(kind, query);
    },
    /** A list of which only parts are read; undefined: none yet. */
    parts: <K extends Kind>(kind: K, query: string) => parts.find(kind, query) as ListParts<Records[K]> | undefined,
    /** Reads what is missing of the places `from` to `to` of such a list. */
    readParts: parts.read,
    /** A record that any list or `ensure` has read. */
    find: <K extends Kind>(kind: K, id: string | number | null | undefined) => known.get(`${kind} ${id}`) as Records[K] | undefined,
    /** Reads records and what they belong to. */
    ensure,
    /** Counts the records of each kind, for `total` and `first`. */
    count: async (): Promise<Problem | undefined> => {
      isCounted = true;
      return firstOf(await Promise.all(KINDS.map(countKind)));
    },
    /** How many records of a kind are not archived; 0: none, or not counted yet. */
    total: (kind: Kind) => counted.get(kind)?.total ?? 0,
    /** The first records of a kind: MAX_FIRST at most. */
    first: <K extends Kind>(kind: K) => (counted.get(kind)?.rows ?? []) as unknown as readonly Records[K][],
    dimensions: () => dimensions,
    /** Reads again what the screen has read of these kinds, or all of it. What cannot be read keeps its last state. */
    refresh: async (...named: Kind[]): Promise<Problem | undefined> => {
      const kinds = named.length > 0 ? named : KINDS;
      onRefresh();
      const kindOf = (key: string): Kind => key.split(/[ ?]/, 1)[0] as Kind;
      const again = [...needed].filter((key) => kinds.includes(kindOf(key)));
      for (const key of again) needed.delete(key);
      const reads = [
        ...(isCounted ? kinds.map(countKind) : []),
        ...[...used]
          .filter((key) => kinds.includes(kindOf(key)))
          .map((key) => {
            const [kind, query] = [kindOf(key), key.slice(kindOf(key).length + 1)];
            const had = listing(kind, query);
            return readFrom(kind, query, [], had?.more ? had.rows.length : Infinity);
          }),
      ];
      const problems = (await Promise.all([...reads, parts.refresh(kinds)])).flat();
      const rest = await Promise.all(
        kinds.map((kind) => ensure(kind, ...again.flatMap((key) => (kindOf(key) === kind ? [key.slice(kind.length + 1)] : [])))),
      );
      return firstOf([...problems, ...rest]);
    },
    /** Another screen begins: `refresh` no longer reads what the last one has read. */
    turn: (): void => {
      parts.turn();
      used.clear();
      needed.clear();
      isCounted = false;
    },
    loadDimensions: async (): Promise<Problem | undefined> => {
      const answer = await api.get('/dimensions');
      if (answer.ok) dimensions = answer.value.properties ?? {};
      return answer.ok ? undefined : answer.problem;
    },
  };
};

export type Store = ReturnType<typeof createStore>;
