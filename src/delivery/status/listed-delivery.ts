import type { Knex } from 'knex';
import type { LineItem } from '../../catalog/model/entities.ts';
import { groupBy } from '../../base/group-by.ts';
import { dateOfDay } from '../../base/utc-day.ts';
import { amountFromMicros } from '../../catalog/model/money.ts';
import { pricingOf } from '../../catalog/model/pricing.ts';
import type { Account, DayCounts } from '../../ledger/read/read-accounts.ts';
import { PROGRESS_OF, type ListedDelivery, type Progress } from './status.ts';

/** Counts of a line item, of the ledger or, where it has no account, of Postgres. Money in micros. */
export type DeliveredCounts = Pick<Account, 'today' | 'yesterday' | 'totalImpressions' | 'totalClicks' | 'totalSpendMicros'>;

const NO_COUNTS: DayCounts = { serves: 0, impressions: 0, clicks: 0, spendMicros: 0 };
export const NOTHING_DELIVERED: DeliveredCounts = {
  today: NO_COUNTS,
  yesterday: NO_COUNTS,
  totalImpressions: 0,
  totalClicks: 0,
  totalSpendMicros: 0,
};

/** @param lineItem undefined: it is not loaded */
export const listedDelivery = (lineItem: LineItem | undefined, counts: DeliveredCounts, live: boolean): ListedDelivery => ({
  live,
  impressions_today: counts.today.impressions,
  spend_today: amountFromMicros(counts.today.spendMicros),
  progress: lineItem ? progressOf(lineItem, counts) : null,
});

const progressOf = (lineItem: LineItem, counts: DeliveredCounts): Progress | null => {
  const { goals, dailyImpressionCap, dailySpendCapMicros, budgetMicros } = lineItem;
  const amount = (micros: number | null): number | null => (micros === null ? null : amountFromMicros(micros));
  const all: Readonly<Record<Progress['of'], readonly [done: number, limit: number | null]>> = {
    goal_impressions: [counts.totalImpressions, goals.impressions],
    goal_clicks: [counts.totalClicks, goals.clicks],
    daily_impression_cap: [counts.today.impressions, dailyImpressionCap],
    daily_spend_cap: [amountFromMicros(counts.today.spendMicros), amount(dailySpendCapMicros)],
    // A Flat fee limits nothing.
    budget: [amountFromMicros(counts.totalSpendMicros), pricingOf(lineItem) === 'Flat' ? null : amount(budgetMicros)],
  };
  const of = PROGRESS_OF.find((name) => all[name][1] !== null);
  return of === undefined ? null : { of, done: all[of][0], limit: all[of][1] ?? 0 };
};

/**
 * What Postgres has stored of line items, without those of which it has nothing.
 * @param today of a line item, in days since the epoch
 */
export const storedCounts = async (
  knex: Knex,
  ids: readonly number[],
  today: (id: number) => number,
): Promise<ReadonlyMap<number, DeliveredCounts>> => {
  const counts = new Map<number, DeliveredCounts>();
  // Around the world there are two or three days at a time.
  for (const [day, some] of groupBy(ids, today)) for (const [id, of] of await storedOn(knex, some, day)) counts.set(id, of);
  return counts;
};

const storedOn = async (knex: Knex, ids: readonly number[], day: number): Promise<ReadonlyMap<number, DeliveredCounts>> => {
  const { rows } = await knex.raw<{ rows: StoredRow[] }>(
    `select line_item_id as id, day < cast(:yesterday as date) as before, day = cast(:yesterday as date) as yesterday,
            sum(serves)::float8 as serves, sum(impressions)::float8 as impressions, sum(clicks)::float8 as clicks,
            sum(spend_micros)::float8 as "spendMicros"
     from daily_counts where line_item_id = any(cast(:ids as int[])) group by 1, 2, 3`,
    { ids: ids, yesterday: dateOfDay(day - 1) },
  );
  const counts = new Map<number, DeliveredCounts>();
  for (const { id, before, yesterday, ...of } of rows) {
    const known = counts.get(id) ?? NOTHING_DELIVERED;
    counts.set(id, {
      today: before || yesterday ? known.today : of,
      yesterday: yesterday ? of : known.yesterday,
      totalImpressions: known.totalImpressions + of.impressions,
      totalClicks: known.totalClicks + of.clicks,
      totalSpendMicros: known.totalSpendMicros + of.spendMicros,
    });
  }
  return counts;
};

interface StoredRow extends DayCounts {
  readonly id: number;
  readonly before: boolean;
  readonly yesterday: boolean;
}
