import type { Knex } from 'knex';
import type { SinkHour } from './event-sink.ts';

/** Entries of a shard that a sink passed over, because it was too far behind. */
export interface SkippedEntries {
  readonly sink: string;
  readonly shard: number;
  /** The last entry before them, and the last of them. */
  readonly after: string;
  readonly to: string;
  /** Of the events in them. */
  readonly hours: readonly SinkHour[];
}

/** An hour that a sink lacks events of. */
export interface SinkGap extends SinkHour {
  /** Rows of sink_gaps. */
  readonly ids: readonly string[];
  /** Shards and the last entry that was passed over in each. */
  readonly shards: readonly { readonly shard: number; readonly to: string }[];
}

/** What sinks lack, until `reconcile` has filled it. Each method rejects when Postgres is unavailable. */
export const createSinkGaps = ({ knex }: { readonly knex: Knex }) => ({
  add: async ({ sink, shard, after, to, hours }: SkippedEntries): Promise<void> => {
    const rows = hours.map(({ day, hour }) => ({ sink, day, hour, shard, after_entry: after, to_entry: to }));
    if (rows.length > 0) await knex('sink_gaps').insert(rows);
  },
  /** Oldest first. */
  open: async (sink: string): Promise<readonly SinkGap[]> => {
    const { rows } = await knex.raw<{ rows: SinkGap[] }>(
      `select day::text, hour, array_agg(id::text) as ids, json_agg(json_build_object('shard', shard, 'to', to_entry)) as shards
       from sink_gaps where sink = ? group by day, hour order by day, hour`,
      [sink],
    );
    return rows;
  },
  close: async (ids: readonly string[]): Promise<void> => {
    await knex('sink_gaps')
      .whereIn('id', [...ids])
      .delete();
  },
  /** Hours that sinks lack, by the name of the sink. */
  countBySink: async (): Promise<Readonly<Record<string, number>>> => {
    const { rows } = await knex.raw<{ rows: { sink: string; hours: number }[] }>(
      'select sink, count(distinct (day, hour))::int as hours from sink_gaps group by sink',
    );
    return Object.fromEntries(rows.map(({ sink, hours }) => [sink, hours]));
  },
});

export type SinkGaps = ReturnType<typeof createSinkGaps>;
