import type { Knex } from 'knex';
import { dayOf } from '../../base/utc-day.ts';
import { EVENT_COLUMN_NAMES } from '../export/event-columns.ts';
import { readEvents } from '../export/read-events.ts';
import type { SinkEvent, SinkHour } from './event-sink.ts';
import type { ConfiguredSink } from './open-sinks.ts';
import { createWriteEach } from './write-each.ts';

/**
 * Gives a sink the stored events of an hour. Resolves to how many. Rejects when Postgres or the sink fails, or the day has been dropped.
 * One event that it refuses keeps no other from it: the next comparison names it.
 */
export const replayHour = async (
  knex: Knex,
  { sink, keepsUserHash }: ConfiguredSink,
  hour: SinkHour,
  signal: AbortSignal,
): Promise<number> => {
  let events = 0;
  const wanted = {
    day: dayOf(Date.parse(`${hour.day}T00:00:00Z`)),
    columns: EVENT_COLUMN_NAMES,
    countedFrom: new Date(`${hour.hour}:00:00Z`),
  };
  const pages = async function* (): AsyncGenerator<readonly SinkEvent[]> {
    for await (const rows of readEvents(knex, wanted, sink.maxEvents)) {
      if (rows.length === 0) continue;
      events += rows.length;
      yield rows.map(
        ({ billed_micros, user_hash, ...row }) =>
          ({ ...row, billed_micros: Number(billed_micros), user_hash: keepsUserHash ? user_hash : null }) as SinkEvent,
      );
    }
  };
  if (sink.replaceHour) {
    await sink.replaceHour(hour, pages(), signal);
    return events;
  }
  const writeEach = createWriteEach(sink);
  let page = 0;
  for await (const some of pages()) {
    const batch = { shard: undefined, id: `replay-${hour.day}-${hour.hour}-${page++}` };
    await writeEach(
      batch,
      some.map((event) => ({ event })),
      signal,
      () => {
        events--;
        return Promise.resolve();
      },
    );
  }
  return events;
};

/** The hours of `counted_at` of the stored events of a day (YYYY-MM-DD), the first one first: YYYY-MM-DDTHH. Rejects when Postgres is unavailable. */
export const storedHours = async (knex: Knex, day: string): Promise<readonly string[]> => {
  const { rows } = await knex.raw<{ rows: { hour: string }[] }>(
    `select distinct to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24') as hour from events where day = ?::date order by 1`,
    [day],
  );
  return rows.map(({ hour }) => hour);
};
