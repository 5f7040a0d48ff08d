import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import { usdFromMicros } from '../../catalog/model/money.ts';
import type { DayFigures, HourFigures } from './delivery.ts';

/** What Postgres knows of one line item's delivery: all but the last second of it, and everything that is older than a day. */
export interface DeliveryHistory {
  /** So many days up to `day`, oldest first, each there even when nothing happened. */
  days(lineItemId: number, day: number, count: number): Promise<readonly DayFigures[]>;
  /** Custom events of one day, by type. */
  events(lineItemId: number, day: number): Promise<Readonly<Record<string, number>>>;
  total(lineItemId: number): Promise<{ readonly impressions: number; readonly spend: number }>;
  /** USD that all line items of a campaign have been billed. */
  campaignSpend(campaignId: number): Promise<number>;
  /** Hours 0 to `lastHour` of a day. undefined: there are too many events to count them while somebody waits. */
  hours(lineItemId: number, day: number, lastHour: number): Promise<readonly HourFigures[] | undefined>;
}

/** Counting reads every event that the line item had that day; beyond this the page goes without. */
const HOURS_TIMEOUT_MS = 3_000;

export const createDeliveryHistory = ({ knex }: { readonly knex: Knex }): DeliveryHistory => ({
  days: async (lineItemId, day, count) => {
    const { rows } = await knex.raw<{ rows: Readonly<Record<string, string>>[] }>(
      `select to_char(day, 'YYYY-MM-DD') as day, sum(serves) as serves, sum(impressions) as impressions, sum(clicks) as clicks,
              sum(spend_micros) as spend_micros
       from daily_counts where line_item_id = ? and day > ?::date - ?::int and day <= ?::date group by 1`,
      [lineItemId, dateOfDay(day), count, dateOfDay(day)],
    );
    const byDay = new Map(rows.map((row) => [row['day'], row]));
    return Array.from({ length: count }, (_, i) => {
      const date = dateOfDay(day - count + 1 + i);
      const row = byDay.get(date);
      return {
        day: date,
        serves: Number(row?.['serves'] ?? 0),
        impressions: Number(row?.['impressions'] ?? 0),
        clicks: Number(row?.['clicks'] ?? 0),
        spend: usdFromMicros(Number(row?.['spend_micros'] ?? 0)),
      };
    });
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
      .first<{ impressions: string | null; spend_micros: string | null }>(
        knex.raw('sum(impressions) as impressions, sum(spend_micros) as spend_micros'),
      );
    return { impressions: Number(row.impressions ?? 0), spend: usdFromMicros(Number(row.spend_micros ?? 0)) };
  },

  campaignSpend: async (campaignId) => {
    const row = await knex('daily_counts')
      .where({ campaign_id: campaignId })
      .first<{ spend_micros: string | null }>(knex.raw('sum(spend_micros) as spend_micros'));
    return usdFromMicros(Number(row.spend_micros ?? 0));
  },

  hours: async (lineItemId, day, lastHour) => {
    try {
      const { rows } = await knex
        .raw<{ rows: { hour: number; impressions: number; clicks: number }[] }>(
          `select extract(hour from at at time zone 'utc')::int as hour,
                  (count(*) filter (where kind = 'impression'))::int as impressions, (count(*) filter (where kind = 'click'))::int as clicks
           from events
           where day = ?::date and line_item_id = ? and kind in ('impression', 'click') and invalid_reason <> 'prefetch'
           group by 1`,
          [dateOfDay(day), lineItemId],
        )
        .timeout(HOURS_TIMEOUT_MS, { cancel: true });
      const byHour = new Map(rows.map((row) => [row.hour, row]));
      return Array.from({ length: lastHour + 1 }, (_, hour) => byHour.get(hour) ?? { hour, impressions: 0, clicks: 0 });
    } catch (fault) {
      if ((fault as Error).name === 'KnexTimeoutError') return undefined;
      throw fault;
    }
  },
});
