import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import { readWholeDay } from '../postgres/read-whole-day.ts';
import { eventColumn } from '../export/event-columns.ts';
import type { SinkCount, SinkGroup, SinkHour } from './event-sink.ts';
import type { ConfiguredSink } from './open-sinks.ts';
import { isHourOver } from './read-entries.ts';
import { replayHour } from './replay-hour.ts';

/** What differs of a group of events: the sums of Postgres and of the sink. */
export interface SinkDifference {
  /** A line item's id. */
  readonly lineItem: string;
  readonly kind: string;
  readonly state: string;
  readonly stored: Sums;
  readonly inSink: Sums;
}

interface Sums {
  readonly events: number;
  readonly micros: number;
}

export interface SinkComparison {
  readonly differences: readonly SinkDifference[];
  /** Hours that differ; not replayed with `dryRun`. */
  readonly hours: readonly SinkHour[];
  /** Events that were handed to the sink again. */
  readonly replayed: number;
}

const NONE: Sums = { events: 0, micros: 0 };

const GROUPS: Readonly<Record<SinkGroup, string>> = {
  line_item_id: 'line_item_id::text',
  hour: `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24')`,
};

const storedCounts = async (knex: Knex, date: string, by: SinkGroup, stopping: AbortSignal): Promise<readonly SinkCount[]> => {
  const { rows } = await knex.transaction((trx) =>
    readWholeDay(knex, trx, stopping, () =>
      trx.raw<{ rows: SinkCount[] }>(
        `select ${GROUPS[by]} as "group", kind, ${eventColumn('state').sql} as state, count(*)::float8 as events,
                sum(billed_micros)::float8 as micros
         from events where day = ?::date group by 1, 2, 3`,
        [date],
      ),
    ),
  );
  return rows;
};

const sumsOf = ({ events, micros }: Sums): Sums => ({ events, micros });

const differencesOf = (stored: readonly SinkCount[], inSink: readonly SinkCount[]) => {
  const keyOf = ({ group, kind, state }: SinkCount): string => JSON.stringify([group, kind, state]);
  const [here, there] = [new Map(stored.map((one) => [keyOf(one), one])), new Map(inSink.map((one) => [keyOf(one), one]))];
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((key) => {
    const [group, kind, state] = JSON.parse(key) as [string, string, string];
    const [ours, theirs] = [here.get(key) ?? NONE, there.get(key) ?? NONE];
    return ours.events === theirs.events && ours.micros === theirs.micros
      ? []
      : [{ group, kind, state, stored: sumsOf(ours), inSink: sumsOf(theirs) }];
  });
};

/**
 * Compares what a sink has of a day with the event rows, by line item, and hands the hours that differ to this sink again. Hours that
 * are not over yet are left out. undefined: the sink cannot be read. Rejects when Postgres or the sink is unavailable.
 */
export const compareSink = async (
  knex: Knex,
  configured: ConfiguredSink,
  day: number,
  { dryRun, signal, nowMs = Date.now() }: { readonly dryRun: boolean; readonly signal: AbortSignal; readonly nowMs?: number },
): Promise<SinkComparison | undefined> => {
  const { sink } = configured;
  const date = dateOfDay(day);
  const compared = async (by: SinkGroup) => {
    // First the sink: what comes to it meanwhile is not missing.
    const inSink = await sink.count!(date, by, signal);
    return differencesOf(await storedCounts(knex, date, by, signal), inSink);
  };
  if (!sink.count) return undefined;
  const differing = [...new Set((await compared('hour')).map(({ group }) => group))];
  const hours = differing.filter((hour) => isHourOver(hour, nowMs)).sort();
  const differences = hours.length === 0 ? [] : await compared('line_item_id');
  let replayed = 0;
  if (!dryRun) for (const hour of hours) replayed += await replayHour(knex, configured, { day: date, hour }, signal);
  return {
    differences: differences.map(({ group: lineItem, ...difference }) => ({ lineItem, ...difference })),
    hours: hours.map((hour) => ({ day: date, hour })),
    replayed,
  };
};
