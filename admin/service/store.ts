import type { Api } from './api.ts';
import { KINDS, type Dimensions, type Kind, type Problem, type Records } from './wire.ts';

/** The records of all kinds, as last read. */
export interface Store {
  all<K extends Kind>(kind: K): readonly Records[K][];
  find<K extends Kind>(kind: K, id: string | number | null | undefined): Records[K] | undefined;
  dimensions(): Dimensions;
  /** Whether a list has more records than the page reads. */
  isCut(kind: Kind): boolean;
  /**
   * Reads the lists again, or all of them without kinds. Resolves to the first problem, or
   * undefined.
   */
  refresh(...kinds: readonly Kind[]): Promise<Problem | undefined>;
  loadDimensions(): Promise<Problem | undefined>;
}

const PAGE_SIZE = 500;
const MAX_RECORDS = 10_000;

export const createStore = (api: Api): Store => {
  const lists = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as { [K in Kind]: readonly Records[K][] };
  const byId = new Map<Kind, ReadonlyMap<string, unknown>>();
  const cut = new Set<Kind>();
  let dimensions: Dimensions = {};

  const read = async <K extends Kind>(kind: K): Promise<Problem | undefined> => {
    const found: Records[K][] = [];
    for (;;) {
      const answer = await api.get<readonly Records[K][]>(`/${kind}?limit=${PAGE_SIZE}&offset=${found.length}`);
      if (!answer.ok) return answer.problem;
      found.push(...answer.value);
      if (!answer.more || found.length >= MAX_RECORDS) break;
    }
    if (found.length >= MAX_RECORDS) cut.add(kind);
    else cut.delete(kind);
    (lists as Record<Kind, unknown>)[kind] = found;
    byId.set(kind, new Map(found.map((record) => [String(record.id), record])));
    return undefined;
  };

  return {
    all: (kind) => lists[kind],
    find: <K extends Kind>(kind: K, id: string | number | null | undefined) => byId.get(kind)?.get(String(id)) as Records[K] | undefined,
    dimensions: () => dimensions,
    isCut: (kind) => cut.has(kind),
    refresh: async (...kinds) => (await Promise.all((kinds.length > 0 ? kinds : KINDS).map(read))).find((problem) => problem),
    loadDimensions: async () => {
      const answer = await api.get<{ readonly properties?: Dimensions }>('/dimensions');
      if (answer.ok) dimensions = answer.value.properties ?? {};
      return answer.ok ? undefined : answer.problem;
    },
  };
};
