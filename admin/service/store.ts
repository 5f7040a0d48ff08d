import type { Api } from './api.ts';
import { KINDS, type Dimensions, type Kind, type Problem, type Records } from './wire.ts';

/** What the page knows of the five entities: their whole lists, as last read. */
export interface Store {
  all<K extends Kind>(kind: K): readonly Records[K][];
  find<K extends Kind>(kind: K, id: string | number | null | undefined): Records[K] | undefined;
  dimensions(): Dimensions;
  /** True when a list was cut off because it is longer than this page reads. */
  isCut(kind: Kind): boolean;
  /** Reads the lists anew; without kinds, all of them. The problem of the first that could not be read, or undefined. */
  refresh(...kinds: readonly Kind[]): Promise<Problem | undefined>;
  loadDimensions(): Promise<Problem | undefined>;
}

const PAGE = 500;
const MOST = 10_000;

export const createStore = (api: Api): Store => {
  const lists = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as { [K in Kind]: readonly Records[K][] };
  const byId = new Map<Kind, ReadonlyMap<string, unknown>>();
  const cut = new Set<Kind>();
  let dimensions: Dimensions = {};

  const read = async <K extends Kind>(kind: K): Promise<Problem | undefined> => {
    const found: Records[K][] = [];
    for (;;) {
      const answer = await api.get<readonly Records[K][]>(`/${kind}?limit=${PAGE}&offset=${found.length}`);
      if (!answer.ok) return answer.problem;
      found.push(...answer.value);
      if (answer.value.length < PAGE || found.length >= MOST) break;
    }
    if (found.length >= MOST) cut.add(kind);
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
