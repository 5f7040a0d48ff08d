import { PARENTS } from '../forms/entity-fields.ts';
import type { Api } from './api.ts';
import { KINDS, type Dimensions, type Kind, type Problem, type Records } from './wire.ts';

/** The records of all kinds, as last read. Lists leave out what is archived. */
export interface Store {
  all<K extends Kind>(kind: K): readonly Records[K][];
  /** Archived records are found once `readArchived` or `ensure` has read them. */
  find<K extends Kind>(kind: K, id: string | number | null | undefined): Records[K] | undefined;
  dimensions(): Dimensions;
  /** The archived records of a kind, once `readArchived` has read them. */
  archived<K extends Kind>(kind: K): readonly Records[K][];
  /** Reads the archived records of a kind, and of the kinds that it belongs to. */
  readArchived(kind: Kind): Promise<Problem | undefined>;
  /** Reads a record and what it belongs to, unless the lists have them. */
  ensure(kind: Kind, id: string | number): Promise<void>;
  /** Whether a list has more records than the page reads. */
  isCut(kind: Kind): boolean;
  /**
   * Reads these kinds again, or all; and the archived records that were read before. What cannot be
   * read keeps its last state.
   */
  refresh(...kinds: Kind[]): Promise<Problem | undefined>;
  loadDimensions(): Promise<Problem | undefined>;
}

const PAGE_SIZE = 500;
const MAX_RECORDS = 10_000;

interface List {
  readonly records: readonly unknown[];
  readonly byId: ReadonlyMap<string, unknown>;
}

const EMPTY: List = { records: [], byId: new Map() };

/** @param onRefresh called whenever records are read again */
export const createStore = (api: Api, onRefresh: () => void): Store => {
  const lists = new Map<Kind, List>();
  const archivedLists = new Map<Kind, List>();
  /** Records that `ensure` has read, by kind and id. */
  const singles = new Map<string, unknown>();
  const cut = new Set<Kind>();
  let dimensions: Dimensions = {};

  const read = async (kind: Kind, into: Map<Kind, List>, query = ''): Promise<Problem | undefined> => {
    const records: { readonly id: string | number }[] = [];
    for (;;) {
      const answer = await api.get<readonly Records[Kind][]>(`/${kind}?limit=${PAGE_SIZE}&offset=${records.length}${query}`);
      if (!answer.ok) return answer.problem;
      records.push(...answer.value);
      if (!answer.more || records.length >= MAX_RECORDS) break;
    }
    into.set(kind, { records, byId: new Map(records.map((record) => [String(record.id), record])) });
    return undefined;
  };

  const readListed = async (kind: Kind): Promise<Problem | undefined> => {
    const problem = await read(kind, lists);
    if (listOf(kind).records.length >= MAX_RECORDS) cut.add(kind);
    else cut.delete(kind);
    return problem;
  };

  const readArchivedList = (kind: Kind): Promise<Problem | undefined> => read(kind, archivedLists, '&archived=only');

  const readSingle = async (kind: Kind, id: string | number): Promise<void> => {
    const answer = await api.get(`/${kind}/${encodeURIComponent(id)}`);
    if (answer.ok) singles.set(`${kind} ${id}`, answer.value);
    else if (answer.problem.status === 404) singles.delete(`${kind} ${id}`);
  };

  const listOf = (kind: Kind): List => lists.get(kind) ?? EMPTY;

  const find: Store['find'] = <K extends Kind>(kind: K, id: string | number | null | undefined) =>
    (listOf(kind).byId.get(String(id)) ?? archivedLists.get(kind)?.byId.get(String(id)) ?? singles.get(`${kind} ${id}`)) as
      Records[K] | undefined;

  const ensure = async (kind: Kind, id: string | number): Promise<void> => {
    if (!find(kind, id)) await readSingle(kind, id);
    const record = find(kind, id) as Readonly<Record<string, string | number | readonly string[] | null>> | undefined;
    await Promise.all(
      PARENTS[kind].flatMap(({ field, parent }) => [record?.[field] ?? []].flat().map((parentId) => ensure(parent, parentId))),
    );
  };

  const refresh = async (...named: Kind[]): Promise<Problem | undefined> => {
    const kinds = named.length > 0 ? named : KINDS;
    onRefresh();
    const problems = await Promise.all([
      ...kinds.map(readListed),
      ...kinds.filter((kind) => archivedLists.has(kind)).map(readArchivedList),
      ...[...singles.keys()].map((key) => {
        const [kind, id] = key.split(' ') as [Kind, string];
        return kinds.includes(kind) ? readSingle(kind, id) : undefined;
      }),
    ]);
    return problems.find((problem) => problem) ?? undefined;
  };

  return {
    all: <K extends Kind>(kind: K) => listOf(kind).records as readonly Records[K][],
    find,
    archived: <K extends Kind>(kind: K) => (archivedLists.get(kind) ?? EMPTY).records as readonly Records[K][],
    readArchived: async (kind) => {
      const kinds = new Set([kind]);
      for (const each of kinds) for (const { parent } of PARENTS[each]) kinds.add(parent);
      return (await Promise.all([...kinds].map(readArchivedList))).find((problem) => problem);
    },
    ensure,
    dimensions: () => dimensions,
    isCut: (kind) => cut.has(kind),
    refresh,
    loadDimensions: async () => {
      const answer = await api.get<{ readonly properties?: Dimensions }>('/dimensions');
      if (answer.ok) dimensions = answer.value.properties ?? {};
      return answer.ok ? undefined : answer.problem;
    },
  };
};
