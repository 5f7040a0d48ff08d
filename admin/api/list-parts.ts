import type { Answer, Kind, Problem } from './wire.ts';

/** Records that are read together, from the first one of a part on. */
const PART = 100;
/** Lists that are kept for the way back. */
const MAX_KEPT = 12;

/** A list of which only the parts on screen are read, however long it is. */
export interface ListParts<T> {
  /** How many records there are in all. */
  readonly total: number;
  /** By their places in the list; without those that are not read yet. */
  readonly rows: ReadonlyMap<number, T>;
  /** Another one: the list was read again after a change. */
  readonly version: number;
}

interface Kept<T> extends ListParts<T> {
  readonly rows: Map<number, T>;
  readonly pending: Set<number>;
  /** The places that were asked for last. */
  asked: readonly [from: number, to: number];
}

/** @param readRows a part of a list: at most `limit` records, fewer when they are large */
export const createListParts = <T>(
  readRows: (kind: Kind, query: string, offset: number, limit: number) => Promise<Answer<readonly T[]>>,
) => {
  const kept = new Map<string, Kept<T>>();
  const onScreen = new Map<string, readonly [Kind, string]>();
  let versions = 0;

  const readPart = async (kind: Kind, query: string, part: number, of: Kept<T>): Promise<Problem | number> => {
    let total = of.total;
    for (let at = part * PART; at < (part + 1) * PART;) {
      const answer = await readRows(kind, query, at, (part + 1) * PART - at);
      if (!answer.ok) return answer.problem;
      for (const [i, row] of answer.value.entries()) of.rows.set(at + i, row);
      at += answer.value.length;
      total = answer.total ?? at;
      if (answer.value.length === 0 || at >= total) break;
    }
    return total;
  };

  /** A list that the service has changed meanwhile is as long as its last answer says. */
  const readInto = async (kind: Kind, query: string, of: Kept<T>, parts: readonly number[]): Promise<Problem | undefined> => {
    for (const part of parts) of.pending.add(part);
    const read = await Promise.all(parts.map((part) => readPart(kind, query, part, of)));
    for (const part of parts) of.pending.delete(part);
    const problem = read.find((one) => typeof one !== 'number');
    const key = `${kind}?${query}`;
    if (problem === undefined) {
      kept.delete(key);
      kept.set(key, { ...of, asked: of.asked, total: Number(read.at(-1)) });
      for (const old of kept.keys()) if (kept.size > MAX_KEPT && !onScreen.has(old)) kept.delete(old);
    }
    return problem;
  };
  const partsOf = ([from, to]: readonly [number, number]): readonly number[] => {
    const first = Math.floor(Math.max(0, from) / PART);
    return Array.from({ length: Math.max(1, Math.ceil(to / PART) - first) }, (_, i) => first + i);
  };

  return {
    /** undefined: no part of it is read yet. */
    find: (kind: Kind, query: string): ListParts<T> | undefined => kept.get(`${kind}?${query}`),
    /** Reads what is missing of the places `from` to `to`. */
    read: async (kind: Kind, query: string, from: number, to: number): Promise<Problem | undefined> => {
      const key = `${kind}?${query}`;
      const before = kept.get(key);
      const isNew = !onScreen.has(key);
      onScreen.set(key, [kind, query]);
      // Back leads to the rows that were on screen.
      const asked = (isNew && before?.asked) || ([from, to] as const);
      const of = (!isNew && before) || { total: 0, rows: new Map<number, T>(), pending: new Set<number>(), version: ++versions, asked };
      of.asked = asked;
      const missing = partsOf(asked).filter((part) => !of.pending.has(part) && !of.rows.has(part * PART));
      return missing.length === 0 ? undefined : readInto(kind, query, of, missing);
    },
    /** Reads again, of the lists that are on screen, what was asked for last. */
    refresh: (kinds: readonly Kind[]) =>
      Promise.all(
        Array.from(onScreen, async ([key, [kind, query]]) => {
          const before = kept.get(key);
          if (!before || !kinds.includes(kind)) return undefined;
          const of = { ...before, rows: new Map<number, T>(), pending: new Set<number>(), version: ++versions };
          return readInto(kind, query, of, partsOf(before.asked));
        }),
      ),
    /** Another screen begins: `refresh` leaves the lists of the last one. */
    turn: () => onScreen.clear(),
  };
};
