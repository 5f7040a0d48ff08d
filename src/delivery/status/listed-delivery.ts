import type { Knex } from 'knex';
import type { LineItem } from '../../catalog/model/entities.ts';
import { usdFromMicros } from '../../catalog/model/money.ts';
import { pricingOf } from '../../ledger/limits.ts';
import { PROGRESS_OF, type ListedDelivery, type Progress } from './status.ts';

/** Counts of a line item. Money in micros. */
export interface DeliveredCounts {
  readonly today: { readonly impressions: number; readonly spendMicros: number };
  readonly totalImpressions: number;
  readonly totalClicks: number;
  readonly totalSpendMicros: number;
}

export const NOTHING_DELIVERED: DeliveredCounts = {
  today: { impressions: 0, spendMicros: 0 },
  totalImpressions: 0,
  totalClicks: 0,
  totalSpendMicros: 0,
};

/** @param lineItem undefined: it is not loaded */
export const listedDelivery = (lineItem: LineItem | undefined, counts: DeliveredCounts, live: boolean): ListedDelivery => ({
  live,
  impressions_today: counts.today.impressions,
  spend_today: usdFromMicros(counts.today.spendMicros),
  progress: lineItem ? progressOf(lineItem, counts) : null,
});

const progressOf = (lineItem: LineItem, counts: DeliveredCounts): Progress | null => {
  const { goals, dailyImpressionCap, dailySpendCapMicros, budgetMicros } = lineItem;
  const usd = (micros: number | null): number | null => (micros === null ? null : usdFromMicros(micros));
  const all: Readonly<Record<Progress['of'], readonly [done: number, limit: number | null]>> = {
    goal_impressions: [counts.totalImpressions, goals.impressions],
    goal_clicks: [counts.totalClicks, goals.clicks],
    daily_impression_cap: [counts.today.impressions, dailyImpressionCap],
    daily_spend_cap: [usdFromMicros(counts.today.spendMicros), usd(dailySpendCapMicros)],
    // A Flat fee limits nothing.
    budget: [usdFromMicros(counts.totalSpendMicros), pricingOf(lineItem) === 'Flat' ? null : usd(budgetMicros)],
  };
  const of = PROGRESS_OF.find((name) => all[name][1] !== null);
  return of === undefined ? null : { of, done: all[of][0], limit: all[of][1] ?? 0 };
};

/** What Postgres has stored of line items: without the counters. */
export const storedCounts = async (knex: Knex, ids: readonly number[]): Promise<ReadonlyMap<number, DeliveredCounts>> => {
  const { rows } = await knex.raw<{
    rows: Readonly<Record<'id' | 'impressions' | 'spend' | 'impressions_today' | 'spend_today' | 'clicks', string>>[];
  }>(
    `select line_item_id as id, sum(impressions) as impressions, sum(clicks) as clicks, sum(spend_micros) as spend,
            sum(impressions) filter (where day = today) as impressions_today, sum(spend_micros) filter (where day = today) as spend_today
     from daily_counts, (select cast(now() at time zone 'utc' as date) as today) as days
     where line_item_id = any(cast(? as int[])) group by 1`,
    [ids as number[]],
  );
  return new Map(
    rows.map((row) => [
      Number(row.id),
      {
        today: { impressions: Number(row.impressions_today ?? 0), spendMicros: Number(row.spend_today ?? 0) },
        totalImpressions: Number(row.impressions),
        totalClicks: Number(row.clicks),
        totalSpendMicros: Number(row.spend),
      },
    ]),
  );
};
