import type { Knex } from 'knex';
import type { SinkHour } from './event-sink.ts';
import type { ConfiguredSink } from './open-sinks.ts';
import { readHour } from './read-hour.ts';
import { createWriteEach } from './write-each.ts';

/**
 * Gives a sink the stored events of an hour. Resolves to how many. Rejects when Postgres or the sink fails. One event that it refuses keeps no other from
 * it: the next comparison names it.
 */
export const replayHour = async (
  knex: Knex,
  { sink, keepsUserHash }: ConfiguredSink,
  hour: SinkHour,
  signal: AbortSignal,
): Promise<number> => {
  let events = 0;
  const counted = async function* () {
    for await (const page of readHour(knex, hour, { keepsUserHash, rowsAtOnce: sink.maxEvents })) {
      events += page.length;
      yield page;
    }
  };
  if (sink.replaceHour) {
    await sink.replaceHour(hour, counted(), signal);
    return events;
  }
  const writeEach = createWriteEach(sink);
  let page = 0;
  for await (const some of counted()) {
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
