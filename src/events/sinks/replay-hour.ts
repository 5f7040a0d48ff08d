import type { Knex } from 'knex';
import type { SinkHour } from './event-sink.ts';
import type { ConfiguredSink } from './open-sinks.ts';
import { readHour } from './read-hour.ts';

/** Gives a sink the stored events of an hour. Resolves to how many. Rejects when Postgres or the sink fails, or refuses an event. */
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
  let page = 0;
  for await (const some of counted()) {
    await sink.write({ shard: undefined, id: `replay-${hour.day}-${hour.hour}-${page++}`, events: some }, signal);
  }
  return events;
};
