import type { Knex } from 'knex';
import { dateOfDay, MS_PER_HOUR } from '../../base/utc-day.ts';
import { hasEvents } from '../export/read-events.ts';
import { compareSink } from './compare-sink.ts';
import type { ConfiguredSink } from './open-sinks.ts';
import { isHourOver } from './read-entries.ts';
import { replayHour, storedHours } from './replay-hour.ts';
import { createSinkDays } from './sink-days.ts';

/** A day of one sink takes at most so long. */
const DAY_MS = MS_PER_HOUR;
const MAX_LINES = 20;

/** Compares each sink with the event rows of these days and hands it what it lacks. Yields lines for the operator. */
export async function* reportSinks(
  knex: Knex,
  sinks: readonly ConfiguredSink[],
  days: readonly number[],
  dryRun: boolean,
): AsyncGenerator<string> {
  const compared = createSinkDays({ knex });
  for (const configured of sinks) {
    const { name } = configured.sink;
    for (const day of days) {
      if (!(await hasEvents(knex, day))) continue;
      const found = await compareSink(knex, configured, day, { dryRun, signal: AbortSignal.timeout(DAY_MS) });
      if (!found) {
        yield `sink ${name}: it cannot be read, and was not compared`;
        break;
      }
      const { differences, hours, replayed } = found;
      if (!dryRun) await compared.compared(name, dateOfDay(day), hours.length);
      const outcome = dryRun ? 'would be handed to it again' : `were handed to it again: ${replayed} events`;
      yield `sink ${name}, ${dateOfDay(day)}: ${hours.length} hours differ${hours.length === 0 ? '' : ` and ${outcome}`}`;
      for (const { lineItem, kind, state, stored, inSink } of differences.slice(0, MAX_LINES))
        yield `  line item ${lineItem}, ${state} ${kind}s: ${stored.events} stored, ${inSink.events} in the sink; ${stored.micros} and ${inSink.micros} micros`;
      if (differences.length > MAX_LINES) yield `  and ${differences.length - MAX_LINES} more`;
    }
  }
}

/**
 * Hands a sink the stored events of these days again, whether it lacks them or not: one that cannot be read too. Of hours that are over; those that
 * run are still on their way to it. Yields a line for each day. Rejects when Postgres or the sink fails.
 */
export async function* handAgain(knex: Knex, configured: ConfiguredSink, days: readonly number[]): AsyncGenerator<string> {
  const { name } = configured.sink;
  for (const day of days) {
    if (!(await hasEvents(knex, day))) continue;
    const date = dateOfDay(day);
    const hours = (await storedHours(knex, date)).filter((hour) => isHourOver(hour, Date.now()));
    let events = 0;
    for (const hour of hours) events += await replayHour(knex, configured, { day: date, hour }, AbortSignal.timeout(DAY_MS));
    yield `sink ${name}, ${date}: ${hours.length} hours were handed to it again: ${events} events`;
  }
}

/** Takes users out of each sink. Yields a line for each: what was changed, or that it cannot be. */
export async function* forgetInSinks(sinks: readonly ConfiguredSink[], userHashes: readonly string[]): AsyncGenerator<string> {
  for (const { sink, keepsUserHash } of sinks) {
    if (!keepsUserHash) yield `sink ${sink.name}: it is handed no user`;
    else if (!sink.forget) yield `sink ${sink.name}: IT CANNOT FORGET: delete there what has the user, or wait for its own retention`;
    else yield `sink ${sink.name}: the user in ${await sink.forget(userHashes, AbortSignal.timeout(DAY_MS))} events`;
  }
}
