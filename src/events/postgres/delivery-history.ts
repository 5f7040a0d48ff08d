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
export interface DeliveryHistory {
  /**
   * The last `count` days up to and including `lastDay`, oldest first. Days without delivery are
   * zero.
   */
  days(lineItemId: number, lastDay: number, count: number): Promise<readonly StoredDay[]>;
  /** Filtered hits of the same days, by date and `filteredName` (ledger/hit.ts). */
  filtered(lineItemId: number, lastDay: number, count: number): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>>;
  /** Custom events of one day, by event type. */
  events(lineItemId: number, day: number): Promise<Readonly<Record<string, number>>>;
  /** Over the life of the line item. */
  total(lineItemId: number): Promise<Omit<DayCounts, 'serves'>>;
  /** What all line items of a campaign have been billed, in micro-dollars. */
  campaignSpendMicros(campaignId: number): Promise<number>;
  /** Hours 0 to `lastHour` of a day that begins at `startMs`, by the hit. */
  hours(lineItemId: number, day: number, span: { readonly startMs: number; readonly lastHour: number }): Promise<readonly StoredHour[]>;
}

export const createDeliveryHistory = ({ knex }: { readonly knex: Knex }): DeliveryHistory => ({
  days: async (lineItemId, lastDay, count) => {
    const { rows } = await knex.raw<{ rows: (Record<keyof DayCounts, string> & { readonly date: string })[] }>(
      `select to_char(day, 'YYYY-MM-DD') as date, sum(serves) as serves, sum(impressions) as impressions, sum(clicks) as clicks,
              sum(spend_micros) as "spendMicros"
       from daily_counts where line_item_id = ? and day > ?::date - ?::int and day <= ?::date group by 1`,
      [lineItemId, dateOfDay(lastDay), count, dateOfDay(lastDay)],
    );
    const byDate = new Map(rows.map((row) => [row.date, row]));
    return Array.from({ length: count }, (_, i) => {
      const date = dateOfDay(lastDay - count + 1 + i);
      const { serves, impressions, clicks, spendMicros } = byDate.get(date) ?? NOTHING;
      return {
        date,
        serves: Number(serves),
        impressions: Number(impressions),
        clicks: Number(clicks),
        spendMicros: Number(spendMicros),
      };
    });
  },

  filtered: async (lineItemId, lastDay, count) => {
    const { rows } = await knex.raw<{ rows: { date: string; kind: string; reason: string; count: string }[] }>(
      `select to_char(day, 'YYYY-MM-DD') as date, kind, reason, sum(count) as count
       from filtered_counts where line_item_id = ? and day > ?::date - ?::int and day <= ?::date and count > 0 group by 1, 2, 3`,
      [lineItemId, dateOfDay(lastDay), count, dateOfDay(lastDay)],
    );
    const byDate = new Map<string, Record<string, number>>();
    for (const row of rows) byDate.set(row.date, { ...byDate.get(row.date), [filteredName(row.kind, row.reason)]: Number(row.count) });
    return byDate;
  },

  events: async (lineItemId, day) => {
    const rows = await knex('event_counts')
      .where({ line_item_id: lineItemId, day: dateOfDay(day) })
      .groupBy('event_type')
      .orderBy('event_type')
      .select<{ event_type: string; count: string }[]>('event_type', knex.raw('sum(count) as count'));
    return Object.fromEntries(rows.map(({ event_type, count }) => [event_type, Number(count)]));
  },

  total: async (lineItemId) => {
    const row = await knex('daily_counts')
      .where({ line_item_id: lineItemId })
      .first<{ impressions: string | null; clicks: string | null; spend_micros: string | null }>(
        knex.raw('sum(impressions) as impressions, sum(clicks) as clicks, sum(spend_micros) as spend_micros'),
      );
    return { impressions: Number(row.impressions ?? 0), clicks: Number(row.clicks ?? 0), spendMicros: Number(row.spend_micros ?? 0) };
  },

  campaignSpendMicros: async (campaignId) => {
    const row = await knex('daily_counts')
      .where({ campaign_id: campaignId })
      .first<{ spend_micros: string | null }>(knex.raw('sum(spend_micros) as spend_micros'));
    return Number(row.spend_micros ?? 0);
  },

  hours: async (lineItemId, day, { startMs, lastHour }) => {
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

const NOTHING = { serves: 0, impressions: 0, clicks: 0, spendMicros: 0 };
