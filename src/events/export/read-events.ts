import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import { partitionOf, partitionsOf } from '../postgres/partitions.ts';
import { eventColumn, type EventColumnName } from './event-columns.ts';

export interface EventsToExport {
  /** Day of the selections by their publishers, counted from 1970-01-01. */
  readonly day: number;
  /** undefined: of all publishers. */
  readonly publisherId?: number | undefined;
  readonly columns: readonly EventColumnName[];
  /** Of the hour that begins then alone. */
  readonly countedFrom?: Date | undefined;
}

export type EventRow = Readonly<Partial<Record<EventColumnName, string | number | Date | null>>>;

/** Whether the events of a day are stored: it had some, and EVENT_RETENTION has not passed. */
export const hasEvents = async (knex: Knex, day: number): Promise<boolean> =>
  (await partitionsOf(knex)).includes(partitionOf(dateOfDay(day)));

const KEY = 'jti, kind, event_type, screened';

/**
 * The events of a day in pages of `rowsAtOnce`, by the key of their table. Each page is a query of its
 * own: between pages no connection is held, however slowly the file is read. An event that is stored
 * meanwhile may be missing. Rejects when Postgres is unavailable or the day has been dropped.
 */
export async function* readEvents(
  knex: Knex,
  { day, publisherId, columns, countedFrom }: EventsToExport,
  rowsAtOnce: number,
): AsyncGenerator<readonly EventRow[]> {
  const list = columns.map((name) => `${eventColumn(name).sql} as ${name}`).join(', ');
  const sql = `
    select ${list}, jti as "lastJti", kind as "lastKind", event_type as "lastType", screened as "lastScreened" from ${partitionOf(dateOfDay(day))}
    where (${KEY}) > (:jti, :kind, :eventType, :screened) ${publisherId === undefined ? '' : 'and publisher_id = :publisherId'}
          ${countedFrom === undefined ? '' : `and at >= :countedFrom and at < :countedFrom::timestamptz + interval '1 hour'`}
    order by ${KEY} limit :rowsAtOnce`;
  // No token is empty.
  let last = { jti: '', kind: 'click', eventType: '', screened: false };
  for (;;) {
    const { rows } = await knex.raw<{ rows: (EventRow & LastKey)[] }>(sql, {
      ...last,
      rowsAtOnce,
      ...(publisherId !== undefined && { publisherId }),
      ...(countedFrom !== undefined && { countedFrom }),
    });
    yield rows;
    const end = rows.at(-1);
    if (!end || rows.length < rowsAtOnce) return;
    last = { jti: end.lastJti, kind: end.lastKind, eventType: end.lastType, screened: end.lastScreened };
  }
}

interface LastKey {
  readonly lastJti: string;
  readonly lastKind: string;
  readonly lastType: string;
  readonly lastScreened: boolean;
}
