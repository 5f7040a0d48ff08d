import type { Knex } from 'knex';
import { dateOfDay, MS_PER_HOUR } from '../../base/utc-day.ts';
import { filteredName } from '../../ledger/hit.ts';
import type { DayCounts } from '../../ledger/read/read-accounts.ts';

/** Counts of one day of the publisher; `date` is YYYY-MM-DD. Money in micro-dollars. */
export interface StoredDay extends DayCounts {
  readonly date: string;
}

/** Counts of one hour of a day, counted from its beginning. */
export interface StoredHour {
  readonly hour: number;
  readonly impressions: number;
  readonly clicks: number;
}

/**
 * Reads what Postgres has stored of one line item's delivery. Each method rejects when Postgres is
 * unavailable.
 */
export const createDeliveryHistory = ({ knex }: { readonly knex: Knex }) => ({
  /**
   * The last `count` days up to and including `lastDay`, oldest first. Days without delivery are
   * zero.
   */
  days: async (lineItemId: number, lastDay: number, count: number): Promise<readonly StoredDay[]> => {
    const { rows } = await knex.raw<{ rows: StoredDay[] }>(
      `select to_char(day, 'YYYY-MM-DD') as date, sum(serves)::float8 as serves, sum(impressions)::float8 as impressions,
              sum(clicks)::float8 as clicks, sum(spend_micros)::float8 as "spendMicros"
       from daily_counts where line_item_id = ? and day > ?::date - ?::int and day <= ?::date group by 1`,
      [lineItemId, dateOfDay(lastDay), count, dateOfDay(lastDay)],
    );
    const byDate = new Map(rows.map((row) => [row.date, row]));
    return Array.from({ length: count }, (_, i) => {
      const date = dateOfDay(lastDay - count + 1 + i);
      return byDate.get(date) ?? { date, serves: 0, impressions: 0, clicks: 0, spendMicros: 0 };
    });
  },

  /** Filtered hits of the same days, by date and `filteredName` (ledger/hit.ts). */
  filtered: async (lineItemId: number, lastDay: number, count: number): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> => {
    const { rows } = await knex.raw<{ rows: { date: string; kind: string; reason: string; count: number }[] }>(
      `select to_char(day, 'YYYY-MM-DD') as date, kind, reason, sum(count)::float8 as count
       from filtered_counts where line_item_id = ? and day > ?::date - ?::int and day <= ?::date and count > 0 group by 1, 2, 3`,
      [lineItemId, dateOfDay(lastDay), count, dateOfDay(lastDay)],
    );
    const byDate = new Map<string, Record<string, number>>();
    for (const row of rows) byDate.set(row.date, { ...byDate.get(row.date), [filteredName(row.kind, row.reason)]: row.count });
    return byDate;
  },

  /** Custom events of one day, by event type. */
  events: async (lineItemId: number, day: number): Promise<Readonly<Record<string, number>>> => {
    const rows = await knex('event_counts')
      .where({ line_item_id: lineItemId, day: dateOfDay(day) })
      .groupBy('event_type')
      .orderBy('event_type')
      .select<{ event_type: string; count: number }[]>('event_type', knex.raw('sum(count)::float8 as count'));
    return Object.fromEntries(rows.map(({ event_type, count }) => [event_type, count]));
  },

  /** Over the life of the line item. */
  total: async (lineItemId: number): Promise<Omit<DayCounts, 'serves'>> =>
    knex('daily_counts')
      .where({ line_item_id: lineItemId })
      .first<Omit<DayCounts, 'serves'>>(
        knex.raw(`coalesce(sum(impressions), 0)::float8 as impressions, coalesce(sum(clicks), 0)::float8 as clicks,
                  coalesce(sum(spend_micros), 0)::float8 as "spendMicros"`),
      ),

  /** What all line items of a campaign have been billed, in micro-dollars. */
  campaignSpendMicros: async (campaignId: number): Promise<number> => {
    const row = await knex('daily_counts')
      .where({ campaign_id: campaignId })
      .first<{ micros: number }>(knex.raw('coalesce(sum(spend_micros), 0)::float8 as micros'));
    return row.micros;
  },

  /** Hours 0 to `lastHour` of a day that begins at `startMs`, by the hit. */
  hours: async (
    lineItemId: number,
    day: number,
    { startMs, lastHour }: { readonly startMs: number; readonly lastHour: number },
  ): Promise<readonly StoredHour[]> => {
    const begins = Array.from({ length: lastHour + 1 }, (_, hour) => new Date(startMs + hour * MS_PER_HOUR).toISOString());
    const { rows } = await knex.raw<{ rows: StoredHour[] }>(
      `select ((extract(epoch from hour) * 1000 - ?) / ${MS_PER_HOUR})::int as hour, sum(impressions)::int as impressions, sum(clicks)::int as clicks
       from report_hours
       where day = ?::date and hour = any(?::timestamptz[]) and line_item_id = ? and reason = ''
       group by 1`,
      [startMs, dateOfDay(day), begins, lineItemId],
    );
    const byHour = new Map(rows.map((row) => [row.hour, row]));
    return begins.map((_, hour) => byHour.get(hour) ?? { hour, impressions: 0, clicks: 0 });
  },
});

export type DeliveryHistory = ReturnType<typeof createDeliveryHistory>;
