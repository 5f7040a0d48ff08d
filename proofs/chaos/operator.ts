import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { dateOfDay, dayOf, MS_PER_DAY } from '../../src/base/utc-day.ts';
import { createCompareAccounts } from '../../src/events/compare-accounts.ts';
import { compareAllAccounts, compareDay } from '../../src/events/compare-books.ts';
import { createCountStore } from '../../src/events/postgres/count-store.ts';
import { readPublisherDays } from '../../src/events/postgres/publisher-days.ts';
import { repairSetAside } from '../../src/events/repair-set-aside.ts';
import type { LedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { accountField } from '../../src/ledger/ledger-keys.ts';
import { COUNT_NAMES, createAccountBooks, type AccountCounts } from '../../src/ledger/read/account-books.ts';
import { createAccountRepairer } from '../../src/ledger/read/repair-account.ts';
import type { Lane } from './lane.ts';
import type { Damage, Drift, RowEdit, World } from './story.ts';

export interface AccountRef {
  readonly publisherId: number;
  readonly kind: 'l' | 'c';
  readonly id: number;
}

/** What an operator, and the background comparison, do with the books; and what goes wrong in the stores by hand. */
export interface Operator {
  /** Writes the bookings into Postgres, where the comparison reads whose accounts there are. */
  book(world: World): Promise<void>;
  /** Writes the daily caps there, which a day that is filtered again has room under; 0 of what the catalog has not. */
  writeCaps(catalog: Pick<Snapshot, 'lineItems' | 'campaigns'>): Promise<void>;
  /** Notes a move to another parent there. */
  move(edit: RowEdit): Promise<void>;
  /** Compares and corrects all books. Resolves to what differed, in words. */
  compare(): Promise<readonly string[]>;
  /** Changes a count of Postgres. Resolves to whether there was one. */
  driftRow(drift: Exclude<Drift, 'account'>, nth: number, by: number): Promise<boolean>;
  /** Changes a count of an account of today. Resolves to whether there was one. */
  driftAccount(of: AccountRef, by: number): Promise<boolean>;
  /** Overwrites a held sum of an account. Resolves to whether there is one. */
  damage(of: AccountRef, how: Damage): Promise<boolean>;
  isDamaged(of: AccountRef): boolean;
  /** The accounts that were damaged and not yet repaired. */
  readonly damaged: ReadonlySet<string>;
  /** Runs the command that repairs accounts. Resolves to the accounts that are set aside without having been damaged. */
  repair(): Promise<readonly string[]>;
}

/** The table and column of each kind of drift, and whether its rows need the events of the day before. */
const DRIFTS = {
  impressions: { table: 'daily_counts', column: 'impressions' },
  spend: { table: 'daily_counts', column: 'spend_micros' },
  clicks: { table: 'daily_counts', column: 'clicks' },
  events: { table: 'event_counts', column: 'count' },
  hours: { table: 'hourly_counts', column: 'impressions' },
} as const;

/** Rows of a day that is compared: it has a partition of events, and an earlier one shows that none was dropped. */
const COMPARED_ROWS = `
  select ctid::text as row from ?? as counted
  where day between ?::date - 1 and ?::date and to_regclass('events_' || to_char(day, 'YYYYMMDD')) is not null
    and exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
                where i.inhparent = 'events'::regclass and c.relname < 'events_' || to_char(day, 'YYYYMMDD'))
  order by 1`;

/** The days of events, by the hit too, and of counts. On others nothing can differ; a lane has the partitions of earlier stories. */
const DAYS_WITH_ROWS = `
  select distinct day - date '1970-01-01' as day from (
    select day from events union select (at at time zone 'utc')::date from events
    ${['daily_counts', 'event_counts', 'filtered_counts', 'hourly_counts'].map((table) => `union select day from ${table}`).join(' ')}
  ) of_all order by 1 desc`;

/** What statements know of fees. */
const FEE = ['type', 'budget_type', 'budget_micros'];

/** Offsets of held sums in an account, in bytes: numbers 12 and 14 of lua/account.lua. */
const HELD_COUNT_AT = 12 * 8;
const HELD_TOTAL_AT = 14 * 8;

const nameOf = ({ publisherId, kind, id }: AccountRef): string => `${publisherId} ${kind}${id}`;

export const createOperator = (lane: Lane, keys: LedgerKeys, nowMs: () => number): Operator => {
  const { knex, background, observer } = lane;
  const { redis } = background;
  const expiresAtMs = (): number => nowMs() + 400 * MS_PER_DAY;
  const books = createAccountBooks({ redis, keys, expiresAtMs });
  const counts = createCountStore({ knex });
  const compareAccounts = createCompareAccounts({ knex, books, mayLower: () => Promise.resolve(true) });
  const damaged = new Set<string>();
  const today = (): number => dayOf(nowMs());

  return {
    damaged,
    isDamaged: (of) => damaged.has(nameOf(of)),
    book: async ({ closes, rows: { publishers, advertisers, campaigns, line_items } }) => {
      const columns = (row: Readonly<Record<string, unknown>>, names: readonly string[]) =>
        Object.fromEntries(names.map((name) => [name, row[name]]));
      const flight = ['id', 'name', 'start_at', 'end_at'];
      await knex('publishers').insert(publishers.map((row) => columns(row, ['id', 'name', 'domain', 'api_key_hash', 'time_zone'])));
      if (advertisers.length > 0) await knex('advertisers').insert([...advertisers]);
      // A story that was made shorter may lack the parents of a row.
      const booked = campaigns.filter((row) => publishers.some(({ id }) => id === row['publisher_id']));
      const items = line_items.filter((row) => booked.some(({ id }) => id === row['campaign_id']));
      if (booked.length > 0) await knex('campaigns').insert(booked.map((row) => columns(row, [...flight, 'publisher_id'])));
      if (items.length > 0)
        await knex('line_items').insert(
          items.map((row) => columns(row, [...flight, 'campaign_id', 'active', 'cpm_micros', ...(closes ? FEE : [])])),
        );
    },
    writeCaps: async ({ lineItems, campaigns }) => {
      await knex('campaigns').update({ daily_budget_micros: 0 });
      for (const { id, dailyBudgetMicros } of campaigns.values())
        await knex('campaigns').where({ id }).update({ daily_budget_micros: dailyBudgetMicros });
      await knex('line_items').update({ daily_impression_cap: 0, daily_spend_cap_micros: 0 });
      for (const { id, dailyImpressionCap, dailySpendCapMicros } of lineItems.values())
        await knex('line_items')
          .where({ id })
          .update({ daily_impression_cap: dailyImpressionCap, daily_spend_cap_micros: dailySpendCapMicros });
    },
    move: async ({ table, id, patch }) => {
      const parent = table === 'line_items' ? 'campaign_id' : 'publisher_id';
      if (patch?.[parent] !== undefined)
        await knex(table)
          .where({ id })
          .update({ [parent]: patch[parent] });
    },
    compare: async () => {
      const comparing = { counts, compareAccounts, dryRun: false, rest: () => Promise.resolve() };
      const found: string[] = [];
      const { rows } = await knex.raw<{ rows: { day: number }[] }>(DAYS_WITH_ROWS);
      for (const { day } of rows.filter((row) => Math.abs(row.day - today()) <= 2)) {
        const differences = await compareDay(comparing, day, today());
        if (differences > 0) found.push(`${differences} counts of day ${day} differed from the events`);
      }
      for (const { difference, ...of } of await compareAllAccounts(comparing, today())) {
        const changes = COUNT_NAMES.flatMap((name) => (difference[name] === 0 ? [] : [`${name} by ${difference[name]}`]));
        found.push(`the account ${nameOf(of)} differed: ${changes.join(', ')}`);
      }
      return found;
    },
    driftRow: async (drift, nth, by) => {
      const { table, column } = DRIFTS[drift];
      const date = dateOfDay(today());
      const { rows } = await knex.raw<{ rows: { row: string }[] }>(COMPARED_ROWS, [table, date, date]);
      const chosen = rows[nth % Math.max(rows.length, 1)];
      if (!chosen) return false;
      await knex.raw('update ?? set ?? = ?? + ? where ctid = ?::tid', [table, column, column, by, chosen.row]);
      return true;
    },
    driftAccount: async ({ publisherId, kind, id }, by) => {
      const checked = await books.check(publisherId, [{ kind, id }]);
      const [account] = checked.accounts;
      if (account?.day !== today() || damaged.has(nameOf({ publisherId, kind, id }))) return false;
      const none = Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as unknown as AccountCounts;
      const change = by < 0 && account.impressions === 0 ? -by : Math.max(by, -account.impressions);
      const difference = { ...none, impressions: change, totalImpressions: change };
      return (await books.adjust(publisherId, checked, account.day, [{ kind, id, difference }])) === 1;
    },
    damage: async (of, how) => {
      const [key, field] = [keys.accounts(of.publisherId), accountField(of.kind, of.id)];
      const packed = await observer.redis.hgetBuffer(key, field);
      if (packed === null) return false;
      if (how === 'negative') packed.writeDoubleLE(-7, HELD_COUNT_AT);
      else packed.writeDoubleLE(packed.readDoubleLE(HELD_TOTAL_AT) + 1_000, HELD_TOTAL_AT);
      await observer.redis.hset(key, field, packed);
      damaged.add(nameOf(of));
      return true;
    },
    repair: async () => {
      const repair = createAccountRepairer({ redis, keys, expiresAtMs: expiresAtMs() });
      const { today: todayOf } = await readPublisherDays(knex, nowMs());
      const accounts = await repairSetAside({ knex, redis, keys, repair, todayOf, waitMs: 0 });
      const wrong = accounts.filter((account) => !damaged.has(nameOf(account)));
      for (const account of accounts) if (account.outcome === 'repaired') damaged.delete(nameOf(account));
      return wrong.map((account) => `${nameOf(account)}: ${account.why}`);
    },
  };
};
