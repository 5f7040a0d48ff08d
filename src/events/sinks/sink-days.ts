import type { Knex } from 'knex';

/** A comparison that takes longer is taken to have ended with its replica. */
const CLAIM = `interval '1 hour'`;
/** Days whose last comparison is in the metrics. */
const RECENT = `interval '7 days'`;

/** When the days of sinks were compared with the event rows. Each method rejects when Postgres is unavailable. */
export const createSinkDays = ({ knex }: { readonly knex: Knex }) => {
  const bySink = async (value: string, where: string): Promise<Readonly<Record<string, number>>> => {
    const { rows } = await knex.raw<{ rows: { sink: string; value: number }[] }>(
      `select sink, ${value} as value from sink_days where ${where} group by sink`,
    );
    return Object.fromEntries(rows.map((row) => [row.sink, row.value]));
  };
  return {
    /**
     * Takes a day of a sink for an hour, which no other replica has then: one that was not compared for `everyMs`, the newest first. undefined: none
     * is due.
     *
     * @param days YYYY-MM-DD, besides those whose rows were changed since
     */
    claim: async (sink: string, days: readonly string[], everyMs: number): Promise<string | undefined> => {
      const bindings = { sink, days, seconds: everyMs / 1000 } as unknown as Record<string, Knex.RawBinding>;
      await knex.raw(
        'insert into sink_days (sink, day) select :sink, day from unnest(:days::date[]) as day on conflict do nothing',
        bindings,
      );
      const { rows } = await knex.raw<{ rows: { day: string }[] }>(
        `update sink_days set claimed_at = now() where sink = :sink and day = (
           select day from sink_days
           where sink = :sink and claimed_at < now() - ${CLAIM} and (compared_at is null
                 or (day = any(:days::date[]) and compared_at < now() - make_interval(secs => :seconds)))
           order by day desc limit 1 for update skip locked
         ) returning day::text`,
        bindings,
      );
      return rows[0]?.day;
    },
    /** It could not be compared, and is due again. */
    release: async (sink: string, day: string): Promise<void> =>
      void (await knex('sink_days').where({ sink, day }).update({ claimed_at: '-infinity' })),
    /** @param hours that differed */
    compared: async (sink: string, day: string, hours: number): Promise<void> => {
      await knex.raw(
        `insert into sink_days (sink, day, compared_at, hours) values (?, ?::date, now(), ?)
         on conflict (sink, day) do update set compared_at = now(), hours = excluded.hours, claimed_at = '-infinity'`,
        [sink, day, hours],
      );
    },
    /** The rows of a day were changed: what sinks have of it differs until it is compared. */
    changed: async (day: string): Promise<void> => {
      await knex.raw(
        `insert into sink_days (sink, day) select distinct sink, ?::date from sink_days
         on conflict (sink, day) do update set compared_at = null, claimed_at = '-infinity'`,
        [day],
      );
    },
    /** Hours that differed when their days were last compared, by the name of the sink. */
    hoursBySink: (): Promise<Readonly<Record<string, number>>> => bySink('sum(hours)::int', `compared_at > now() - ${RECENT}`),
    /** Seconds since a sink was last compared, by its name. */
    ageBySink: (): Promise<Readonly<Record<string, number>>> =>
      bySink('extract(epoch from now() - max(compared_at))::float8', 'compared_at is not null'),
  };
};

export type SinkDays = ReturnType<typeof createSinkDays>;
