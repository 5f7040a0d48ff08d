import type { Knex } from 'knex';
import { groupBy } from '../../base/group-by.ts';
import { readSharedCaps } from './shared-caps.ts';
import { ROWS } from './rows.ts';
import {
  CATALOG_TABLES,
  IDS_A_BLOCK,
  type CatalogReading,
  type CatalogRow,
  type CatalogTable,
  type CreativeCounts,
  type RecentCounts,
} from '../model/catalog-reading.ts';

/**
 * Longer than a healthy read of 100,000 line items, short enough that a hung connection does not
 * delay the next load.
 */
const STATEMENT_TIMEOUT_MS = 30_000;

/** The catalog in Postgres, for loading. */
export const createCatalogStore = ({ knex }: { readonly knex: Knex }) => ({
  /**
   * Gives `use` a consistent reading of all tables, in one REPEATABLE READ, read-only transaction
   * that ends with it. Rejects when Postgres is unavailable.
   */
  readAll: <T>(use: (reading: CatalogReading) => Promise<T>): Promise<T> =>
    knex.transaction(
      async (transaction) => {
        await transaction.raw(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
        const version = await versionIn(transaction);
        const instance = await transaction('instance').first<{ user_hash_key: Buffer } | undefined>('user_hash_key');
        if (instance === undefined) throw new Error('the table "instance" is empty: the database has not been migrated');
        const digests = await digestsIn(transaction);
        return use({
          version,
          userHashKey: instance.user_hash_key,
          recentCounts: await recentCountsIn(transaction),
          creativeCounts: await creativeCountsIn(transaction),
          sharedCaps: await readSharedCaps(transaction),
          hourlyImpressions: await hourlyImpressionsIn(transaction),
          digests: (table) => new Map(digests.get(table)?.map(({ block, digest }) => [block, digest])),
          rows: (table, block) => rowsIn(transaction, table, block),
        });
      },
      { isolationLevel: 'repeatable read', readOnly: true },
    ),
  /** The version, which every write to a catalog table increments; one small query. */
  readVersion: (): Promise<number> => versionIn(knex),
});

export type CatalogStore = ReturnType<typeof createCatalogStore>;

const DIGEST = `count(*) || ':' || bit_xor(hash_record_extended(rows.*, 0)) as digest`;
const digestsOf = (table: CatalogTable): string =>
  `select '${table}' as of, ${table === 'placements' ? '0' : `id / ${IDS_A_BLOCK}`} as block, ${DIGEST} from ${table} as rows group by 2`;

/**
 * Postgres reads and hashes 300,000 rows within a second; this replica reads a few hundred numbers, of all tables in one answer.
 */
const digestsIn = async (knex: Knex) => {
  const all = `${CATALOG_TABLES.map(digestsOf).join(' union all ')} order by block`;
  const { rows } = await knex.raw<{ rows: { of: CatalogTable; block: number; digest: string }[] }>(all);
  return groupBy(rows, ({ of }) => of);
};

/** 53 bits: as many as a number holds exactly. */
const EDITION = '(hash_record_extended(rows.*, 0) & 9007199254740991)::float8 as edition';

const rowsIn = (knex: Knex, table: CatalogTable, block: number): Promise<readonly CatalogRow[]> => {
  const query = knex(`${table} as rows`)
    .select<CatalogRow[]>(...ROWS[table].columns, knex.raw(EDITION))
    .orderBy('id');
  return table === 'placements' ? query : query.whereBetween('id', [block * IDS_A_BLOCK, (block + 1) * IDS_A_BLOCK - 1]);
};

const versionIn = async (knex: Knex): Promise<number> => {
  const row = await knex('catalog_version').first<{ version: string } | undefined>('version');
  if (row === undefined) throw new Error('the table "catalog_version" is empty: the database has not been migrated');
  return Number(row.version);
};

/**
 * Of each visitor one click a day: what one does all day says nothing of the others. Only line items whose price or goal depends on their counts: at 100,000 line items a load needs
 * little of the history.
 */
const recentCountsIn = async (knex: Knex): Promise<ReadonlyMap<number, RecentCounts>> => {
  const { rows } = await knex.raw<{
    rows: { line_item_id: number; impressions: string; clicks: string; events: string; days: string }[];
  }>(`
    select counts.line_item_id, sum(counts.impressions) as impressions, sum(counts.clicks - counts.repeat_clicks) as clicks, count(distinct counts.day) as days,
           coalesce(min(seen.events), 0) as events
    from daily_counts as counts join line_items on line_items.id = counts.line_item_id
    left join (
      select line_item_id, sum(count) as events from event_counts join line_items on line_items.id = line_item_id
      where (budget_type, event_type) in (('VCPM', 'viewable'), ('CPCV', 'complete')) and day > (now() at time zone 'utc')::date - 30 group by line_item_id
    ) as seen on seen.line_item_id = counts.line_item_id
    where (line_items.budget_type <> 'CPM' or line_items.goal_clicks is not null) and counts.day > (now() at time zone 'utc')::date - 30
    group by counts.line_item_id
  `);
  return new Map(
    rows.map(({ line_item_id, impressions, clicks, events, days }) => [
      line_item_id,
      { impressions: Number(impressions), clicks: Number(clicks), billingEvents: Number(events), days: Number(days) },
    ]),
  );
};

const creativeCountsIn = async (knex: Knex): Promise<ReadonlyMap<number, CreativeCounts>> => {
  const { rows } = await knex.raw<{ rows: { creative_id: number; impressions: string; clicks: string }[] }>(`
    select counts.creative_id, sum(counts.impressions) as impressions, sum(counts.clicks - counts.repeat_clicks) as clicks
    from daily_counts as counts join line_items on line_items.id = counts.line_item_id
    where line_items.rotation = 'optimised' and counts.day > (now() at time zone 'utc')::date - 30
    group by counts.creative_id
  `);
  return new Map(
    rows.map(({ creative_id, impressions, clicks }) => [creative_id, { impressions: Number(impressions), clicks: Number(clicks) }]),
  );
};

/**
 * The last seven days without today, whose hours so far would look busy beside the hours to come.
 */
const hourlyImpressionsIn = async (knex: Knex): Promise<ReadonlyMap<number, readonly number[]>> => {
  const { rows } = await knex.raw<{ rows: { publisher_id: number; hour: number; impressions: string }[] }>(`
    select publisher_id, hour, sum(impressions) as impressions
    from hourly_counts
    where day between (now() at time zone 'utc')::date - 7 and (now() at time zone 'utc')::date - 1
      and publisher_id in (
        select campaigns.publisher_id from line_items join campaigns on campaigns.id = line_items.campaign_id where line_items.pacing <> 'ASAP'
      )
    group by publisher_id, hour
  `);
  const byPublisher = new Map<number, number[]>();
  for (const { publisher_id, hour, impressions } of rows) {
    let hours = byPublisher.get(publisher_id);
    if (hours === undefined) byPublisher.set(publisher_id, (hours = Array.from({ length: 24 }, () => 0)));
    hours[hour] = Number(impressions);
  }
  return byPublisher;
};
