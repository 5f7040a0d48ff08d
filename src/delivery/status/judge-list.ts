import type { DeliveryStatus } from '../../decision/no-bid-reason.ts';
import { EVERYTHING } from '../../access/scope.ts';
import type { EntityKind } from '../../bookings/entity-kind.ts';
import type { ArchivedQuery, EntityReader, JudgeList, ListQuery } from '../../bookings/entity-reader.ts';
import { LIST_FIELDS } from '../../bookings/list-fields.ts';
import type { ReadStatuses } from './read-statuses.ts';

export interface JudgeListOptions {
  readonly reader: Pick<EntityReader, 'ids'>;
  /** By the tables whose records have a computed status. */
  readonly readStatuses: Readonly<Partial<Record<string, ReadStatuses>>>;
  /** Of the catalog that this replica serves. */
  readonly version: () => number | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

type Judged = ReadonlyMap<number, DeliveryStatus>;

/** Pages of a list, and people who read the same list, share a judgement; a change of the catalog ends it. */
const FRESH_MS = 10_000;

/** A list that is sorted by status begins with what needs attention. */
const STATUS_ORDER: Readonly<Record<DeliveryStatus, number>> = {
  behind: 1,
  outranked: 2,
  'cannot serve': 3,
  'held back': 4,
  capped: 5,
  'budget spent': 6,
  ahead: 7,
  delivering: 8,
  ready: 9,
  scheduled: 10,
  paused: 11,
  draft: 12,
  'goal reached': 13,
  finished: 14,
  archived: 15,
};

const WHOLE: Omit<ListQuery, 'archived'> = {
  limit: 1,
  offset: 0,
  text: '',
  parents: [],
  scope: EVERYTHING,
  ids: undefined,
  filters: {},
  sort: { by: 'id', order: 'asc' },
  groupBy: undefined,
};

export const createJudgeList = ({ reader, readStatuses, version, now }: JudgeListOptions): JudgeList => {
  const last = new Map<string, { readonly key: string; readonly readAtMs: number; readonly judged: Promise<Judged> }>();

  const judge = async (kind: EntityKind, archived: ArchivedQuery): Promise<Judged> => {
    const ids = await reader.ids(kind, { ...WHOLE, archived });
    const statuses = (await readStatuses[kind.table]?.(ids.map(Number))) ?? new Map<number, never>();
    return new Map(Array.from(statuses, ([id, { value }]) => [id, value]));
  };
  const judgedOf = (kind: EntityKind, archived: ArchivedQuery): Promise<Judged> => {
    const key = `${archived} ${version()}`;
    let known = last.get(kind.table);
    if (known?.key !== key || now() - known.readAtMs > FRESH_MS) {
      known = { key, readAtMs: now(), judged: judge(kind, archived) };
      last.set(kind.table, known);
      known.judged.catch(() => last.delete(kind.table));
    }
    return known.judged;
  };

  return async (kind, query) => {
    const status = LIST_FIELDS[kind.table].filters['status'];
    if (status === undefined || status.sql !== undefined) return query;
    const wanted = query.filters['status'];
    const isSorted = query.sort.by === 'status';
    if (!wanted && !isSorted) return query;
    const judged = await judgedOf(kind, query.archived);
    const found = wanted ? [...judged].flatMap(([id, value]) => (wanted.includes(value) ? [id] : [])) : undefined;
    const asked = query.ids && new Set<unknown>(query.ids);
    return {
      ...query,
      ids: asked && found ? found.filter((id) => asked.has(id)) : (found ?? query.ids),
      statusRanks: isSorted ? new Map(Array.from(judged, ([id, value]) => [id, STATUS_ORDER[value]])) : undefined,
    };
  };
};
