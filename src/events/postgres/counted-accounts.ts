import type { Knex } from 'knex';
import { groupBy } from '../../base/group-by.ts';
import { dateOfDay } from '../../base/utc-day.ts';
import { COUNT_NAMES, type AccountCounts } from '../../ledger/read/account-books.ts';
import { countUncounted } from '../account-events.ts';
import type { Uncounted, UncountedRows } from './uncounted.ts';

/** The counts of one line item ('l') or campaign ('c') according to daily_counts, and to the rows that are not in them yet. */
export interface CountedAccount {
  readonly publisherId: number;
  readonly kind: 'l' | 'c';
  readonly id: number;
  /** The latest day with counts, in days since the epoch; null without any. */
  readonly latestDay: number | null;
  /** As text, of which `readSums` makes counts: most are only compared with the sums of a moment before. */
  readonly sums: string;
}

const SUMS: Readonly<Record<keyof AccountCounts, string>> = {
  serves: 'sum(serves) filter (where d.day = :today::date)',
  impressions: 'sum(impressions) filter (where d.day = :today::date)',
  clicks: 'sum(clicks) filter (where d.day = :today::date)',
  spendMicros: 'sum(spend_micros) filter (where d.day = :today::date)',
  yesterdayServes: 'sum(serves) filter (where d.day = :yesterday::date)',
  yesterdayImpressions: 'sum(impressions) filter (where d.day = :yesterday::date)',
  yesterdayClicks: 'sum(clicks) filter (where d.day = :yesterday::date)',
  yesterdaySpendMicros: 'sum(spend_micros) filter (where d.day = :yesterday::date)',
  totalImpressions: 'sum(impressions)',
  totalSpendMicros: 'sum(spend_micros)',
  totalClicks: 'sum(clicks)',
};

const sumsOf = (account: string) =>
  `select ${account}, max(d.day) - date '1970-01-01' as "latestDay", concat_ws(' ', ${COUNT_NAMES.map((name) => `coalesce(${SUMS[name]}, 0)`).join(', ')}) as sums`;

/** What accounts have counted: the daily counts, and what Postgres had lost of them. */
const COUNTS = `(
  select day, publisher_id, campaign_id, line_item_id, serves, impressions, clicks, spend_micros from daily_counts
  union all
  select day, publisher_id, campaign_id, line_item_id, 0, impressions, clicks, spend_micros from carried_counts)`;

/** Also of what is deleted and can be restored. */
const ACCOUNTS = `
  ${sumsOf(`c.publisher_id as "publisherId", 'c' as kind, c.id`)}
  from accounted_campaigns c left join ${COUNTS} d on d.campaign_id = c.id and d.publisher_id = c.publisher_id
  where c.id = any(:campaigns) group by c.publisher_id, c.id
  union all
  ${sumsOf(`c.publisher_id, 'l', l.id`)}
  from accounted_campaigns c join accounted_line_items l on l.campaign_id = c.id
  left join ${COUNTS} d on d.line_item_id = l.id and d.publisher_id = c.publisher_id
  where c.id = any(:campaigns) group by c.publisher_id, l.id
  order by 1, 2, 3`;

/** The counts in CountedAccount.sums. */
export const readSums = (sums: string): AccountCounts => {
  const values = sums.split(' ');
  return Object.fromEntries(COUNT_NAMES.map((name, i) => [name, Number(values[i])])) as unknown as AccountCounts;
};

/** The same for counts of an account: text is equal when the counts are. */
export const writeSums = (counts: AccountCounts): string => COUNT_NAMES.map((name) => counts[name]).join(' ');

/**
 * The counts of campaigns and their line items with all rows, those of `today` and the day before apart. Rejects when Postgres is unavailable.
 *
 * @param trx sees one state of the database
 */
export const readCountedAccounts = async (
  trx: Knex,
  today: number,
  campaigns: readonly number[],
  uncounted: Uncounted,
): Promise<readonly CountedAccount[]> => {
  const bindings = { today: dateOfDay(today), yesterday: dateOfDay(today - 1), campaigns: [...campaigns] };
  const { rows } = await trx.raw<{ rows: CountedAccount[] }>(ACCOUNTS, bindings as unknown as Knex.RawBinding);
  const later = await uncounted.read(trx, new Set(rows.map(({ publisherId }) => publisherId)));
  if (later.length === 0) return rows;
  const [ofCampaign, ofLineItem] = [groupBy(later, ({ campaignId }) => campaignId), groupBy(later, ({ lineItemId }) => lineItemId)];
  return rows.map((account) => {
    const { publisherId, kind, id, sums } = account;
    const own = (kind === 'c' ? ofCampaign : ofLineItem).get(id)?.filter((row) => row.publisherId === publisherId) ?? [];
    if (own.length === 0) return account;
    return { ...account, latestDay: latestDayOf(own, account.latestDay), sums: writeSums(countUncounted(own, today, readSums(sums))) };
  });
};

/** As daily counts will say it. */
const latestDayOf = (rows: readonly UncountedRows[], latest: number | null): number | null =>
  rows
    .filter(({ kind, reason, micros }) => reason === '' && (kind !== 'event' || micros > 0))
    .reduce((last, { day }) => (last === null ? day : Math.max(last, day)), latest);
