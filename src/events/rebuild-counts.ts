import type { Knex } from 'knex';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { loadScript, type ScriptClock } from '../redis/load-script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { dateOfDay } from '../base/utc-day.ts';

export interface RebuildOptions {
  readonly knex: Knex;
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** The UTC day, in days since the epoch, whose daily counts are made anew from the event rows. */
  readonly day: number;
  /** The day of the accounts: now, in days since the epoch. */
  readonly today: number;
  /** Until when rebuilt accounts are kept, epoch ms. */
  readonly expiresAtMs: number;
  /** Tell what would change, and change nothing. */
  readonly dryRun: boolean;
  readonly clock?: ScriptClock;
}

export interface Rebuilt {
  /** Rows of daily_counts that did not agree with the event rows. */
  readonly dailyCounts: number;
  /** Accounts in Redis, of line items and campaigns, that were lower than the rows say. */
  readonly accounts: readonly string[];
}

interface AccountRow {
  readonly publisher_id: number;
  readonly field: string;
  /** Today's and yesterday's serves, impressions, clicks and spend, total impressions and spend. */
  readonly counts: readonly string[];
}

/** Counted from the rows themselves; where they agree already nothing is written. Serves are not stored one by one, so theirs stay. */
const REBUILD_DAY = `
  with counted as (
    select day, publisher_id, campaign_id, line_item_id, creative_id, count(*) filter (where kind = 'impression') as impressions,
           count(*) filter (where kind = 'click') as clicks, sum(billed_micros) as spend_micros
    from events where day = ?::date and kind in ('impression', 'click') and invalid_reason <> 'prefetch'
    group by 1, 2, 3, 4, 5
  ), wrong as (
    select c.* from counted c left join daily_counts d using (day, line_item_id, creative_id)
    where (d.impressions, d.clicks, d.spend_micros) is distinct from (c.impressions, c.clicks, c.spend_micros::bigint)
  ), mended as (
    insert into daily_counts (day, publisher_id, campaign_id, line_item_id, creative_id, impressions, clicks, spend_micros)
    select * from wrong where not ?
    on conflict (day, line_item_id, creative_id) do update set
      impressions = excluded.impressions, clicks = excluded.clicks, spend_micros = excluded.spend_micros
  )
  select count(*)::int as wrong from wrong`;

const ACCOUNTS = `
  with by_item as (
    select publisher_id, unnest(array['l' || line_item_id, 'c' || campaign_id]) as field, day, serves, impressions, clicks, spend_micros
    from daily_counts
  )
  select publisher_id, field, array[
      sum(serves) filter (where day = :today), sum(impressions) filter (where day = :today),
      sum(clicks) filter (where day = :today), sum(spend_micros) filter (where day = :today),
      sum(serves) filter (where day = :yesterday), sum(impressions) filter (where day = :yesterday),
      sum(clicks) filter (where day = :yesterday), sum(spend_micros) filter (where day = :yesterday),
      sum(impressions), sum(spend_micros)]::text[] as counts
  from by_item group by 1, 2`;

/**
 * Rebuilds a day's counts from the event rows, and raises the ledger's accounts to what the counts say: after Redis has lost data, or to
 * check that it has not. Safe under traffic, because counts only grow and only the lower figure is changed; events still on their way to Postgres are
 * found by running it again.
 */
export const rebuildCounts = async ({ knex, redis, keys, day, today, expiresAtMs, dryRun, clock }: RebuildOptions): Promise<Rebuilt> => {
  redis.defineCommand('restoreAccount', {
    lua: loadScript(new URL('../ledger/read/restore-account.lua', import.meta.url), clock),
    numberOfKeys: 1,
  });
  const script = redis as unknown as { restoreAccount(...args: (string | number)[]): Promise<number> };

  const { rows: days } = await knex.raw<{ rows: { wrong: number }[] }>(REBUILD_DAY, [dateOfDay(day), dryRun]);
  const { rows } = await knex.raw<{ rows: AccountRow[] }>(ACCOUNTS, { today: dateOfDay(today), yesterday: dateOfDay(today - 1) });
  const accounts: string[] = [];
  for (const { publisher_id, field, counts } of rows) {
    const figures = [today, ...counts.map((count) => Number(count ?? 0))].join(' ');
    const lower = await script.restoreAccount(
      keys.accounts(publisher_id),
      field,
      figures,
      Math.ceil(expiresAtMs / 1000),
      dryRun ? '1' : '0',
    );
    if (lower === 1) accounts.push(`publisher ${publisher_id} ${field.startsWith('l') ? 'line item' : 'campaign'} ${field.slice(1)}`);
  }
  return { dailyCounts: days[0]!.wrong, accounts };
};
