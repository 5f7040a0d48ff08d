import type { EntityKind } from '../entities/entity-kind.ts';
import type { ArchivedQuery, EntityReader, ListQuery } from '../entities/entity-reader.ts';
import type { ReadStatuses } from './read-statuses.ts';

export interface FindByStatusOptions {
  readonly reader: Pick<EntityReader, 'ids'>;
  /** By the tables whose records have a computed status. */
  readonly readStatuses: Readonly<Partial<Record<string, ReadStatuses>>>;
  /** Of the catalog that this replica serves. */
  readonly version: () => number | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The ids of the records that have one of some statuses. Rejects when Postgres is away. */
export type FindByStatus = (
  kind: EntityKind,
  archived: ArchivedQuery,
  statuses: readonly string[],
) => Promise<readonly (string | number)[]>;

/** Pages of a list, and people who read the same list, share a judgement; a change of the catalog ends it. */
const FRESH_MS = 10_000;
/** Judged before other work gets a turn: 5 ms. */
const IDS_A_TURN = 400;

const WHOLE: Omit<ListQuery, 'archived'> = {
  limit: 1,
  offset: 0,
  text: '',
  parents: [],
  ids: undefined,
  filters: {},
  sort: { by: 'id', order: 'asc' },
};

export const createFindByStatus = ({ reader, readStatuses, version, now }: FindByStatusOptions): FindByStatus => {
  const last = new Map<
    string,
    { readonly key: string; readonly readAtMs: number; readonly judged: Promise<ReadonlyMap<number, string>> }
  >();

  const judge = async (kind: EntityKind, archived: ArchivedQuery): Promise<ReadonlyMap<number, string>> => {
    const ids = await reader.ids(kind, { ...WHOLE, archived });
    const judged = new Map<number, string>();
    for (let at = 0; at < ids.length; at += IDS_A_TURN) {
      const statuses = await readStatuses[kind.table]?.(ids.slice(at, at + IDS_A_TURN).map(Number));
      for (const [id, { value }] of statuses ?? []) judged.set(id, value);
    }
    return judged;
  };

  return async (kind, archived, wanted) => {
    const key = `${archived} ${version()}`;
    let known = last.get(kind.table);
    if (known?.key !== key || now() - known.readAtMs > FRESH_MS) {
      known = { key, readAtMs: now(), judged: judge(kind, archived) };
      last.set(kind.table, known);
      known.judged.catch(() => last.delete(kind.table));
    }
    return [...(await known.judged)].flatMap(([id, value]) => (wanted.includes(value) ? [id] : []));
  };
};
