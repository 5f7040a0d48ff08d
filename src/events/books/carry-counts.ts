import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import { compareAllAccounts, type AdjustedAccount } from '../compare-books.ts';
import type { CompareAccounts } from '../compare-accounts.ts';
import type { CountStore } from '../postgres/count-store.ts';
import { readPublisherDays } from '../postgres/publisher-days.ts';
import { underReconcileLock } from '../postgres/reconciliation.ts';

export interface CarryCountsOptions {
  readonly knex: Knex;
  readonly counts: CountStore;
  readonly compareAccounts: CompareAccounts;
}

/** A comparison leaves out what was written meanwhile: it is repeated until nothing is found. */
const MAX_ROUNDS = 10;
const ROUND_MS = 200;

/**
 * After Postgres was restored to a state older than Redis: writes what accounts have counted beyond its rows to
 * `carried_counts`, so that it stays counted towards caps and budgets. Nothing of it is billed or reported: its rows are gone.
 * Resolves to how many accounts were ahead. Rejects when a store is unavailable.
 */
export const carryCounts = async ({ knex, counts, compareAccounts }: CarryCountsOptions, atMs: number): Promise<number> => {
  let carried = 0;
  // The comparison of the books waits: it would lower the accounts.
  await underReconcileLock(knex, { wait: true }, async (checkLock) => {
    const { today } = await readPublisherDays(knex, atMs);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const ahead = await compareAllAccounts({ counts, compareAccounts, dryRun: true, rest: checkLock, todayOf: today }, dayOf(atMs));
      const rows = ahead.filter(({ kind }) => kind === 'l').flatMap(rowsOf);
      if (rows.length === 0) return;
      carried += ahead.length;
      for (const row of rows) await knex.raw(ADD, row);
      await sleep(ROUND_MS);
    }
  });
  return carried;
};

const ADD = `
  insert into carried_counts (campaign_id, line_item_id, day, publisher_id, impressions, clicks, spend_micros)
  select campaign_id, :lineItemId::int, :day::date, :publisherId::int, :impressions::bigint, :clicks::bigint, :spendMicros::bigint
  from accounted_line_items where id = :lineItemId
  on conflict (campaign_id, line_item_id, day) do update set
    impressions = carried_counts.impressions + excluded.impressions,
    clicks = carried_counts.clicks + excluded.clicks,
    spend_micros = carried_counts.spend_micros + excluded.spend_micros`;

/** What an account is ahead by, on the day to which it belongs as far as the account knows that. */
const rowsOf = ({ publisherId, id, day, difference }: AdjustedAccount) => {
  const d = difference;
  const earlier = {
    impressions: d.totalImpressions - d.impressions - d.yesterdayImpressions,
    clicks: d.totalClicks - d.clicks - d.yesterdayClicks,
    spendMicros: d.totalSpendMicros - d.spendMicros - d.yesterdaySpendMicros,
  };
  const yesterday = { impressions: d.yesterdayImpressions, clicks: d.yesterdayClicks, spendMicros: d.yesterdaySpendMicros };
  return [d, yesterday, earlier].flatMap(({ impressions, clicks, spendMicros }, ago) => {
    const row = { impressions: ahead(impressions), clicks: ahead(clicks), spendMicros: ahead(spendMicros) };
    const isNone = row.impressions === 0 && row.clicks === 0 && row.spendMicros === 0;
    return isNone ? [] : [{ ...row, publisherId, lineItemId: id, day: dateOfDay(day - ago) }];
  });
};

/** What the rows lack is negative. */
const ahead = (difference: number): number => Math.max(-difference, 0);
