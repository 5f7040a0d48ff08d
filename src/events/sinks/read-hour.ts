import type { Knex } from 'knex';
import { dayOf } from '../../base/utc-day.ts';
import { EVENT_COLUMN_NAMES } from '../export/event-columns.ts';
import { readEvents } from '../export/read-events.ts';
import type { SinkEvent, SinkHour } from './event-sink.ts';

/** The stored events of an hour, in pages. Rejects when Postgres is unavailable or their day has been dropped. */
export async function* readHour(
  knex: Knex,
  { day, hour }: SinkHour,
  { keepsUserHash, rowsAtOnce }: { readonly keepsUserHash: boolean; readonly rowsAtOnce: number },
): AsyncGenerator<readonly SinkEvent[]> {
  const from = new Date(`${hour}:00:00Z`);
  const wanted = { day: dayOf(Date.parse(`${day}T00:00:00Z`)), columns: EVENT_COLUMN_NAMES, countedFrom: from };
  for await (const rows of readEvents(knex, wanted, rowsAtOnce))
    if (rows.length > 0)
      yield rows.map(
        ({ billed_micros, user_hash, ...row }) =>
          ({ ...row, billed_micros: Number(billed_micros), user_hash: keepsUserHash ? user_hash : null }) as SinkEvent,
      );
}
