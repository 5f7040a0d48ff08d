import type { Knex } from 'knex';
import { COLUMNS } from './catalog-rows.ts';
import type { CatalogReading, CatalogRow, CatalogTable } from './catalog-rows.ts';
import type { RecentCounts } from './ecpm.ts';

/** The catalog in Postgres, as the loading side needs it. */
export interface CatalogStore {
  /**
   * Lets `use` read all tables as they are at one moment, in one REPEATABLE READ, read-only transaction, which ends with it. Rejects when
   * Postgres is away.
   */
  readAll<T>(use: (reading: CatalogReading) => Promise<T>): Promise<T>;
  /** The number that every write to a catalog table moves on; one small query. */
  readVersion(): Promise<number>;
}

/** Longer than any healthy read of 100,000 line items, shorter than a hung connection may hold up the next load. */
const STATEMENT_TIMEOUT_MS = 30_000;

export const createCatalogStore = ({ knex }: { readonly knex: Knex }): CatalogStore => ({
  readAll: (use) =>
    knex.transaction(
      async (transaction) => {
        await transaction.raw(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
        const version = await versionIn(transaction);
        const instance = await transaction('instance').first<{ user_hash_key: Buffer } | undefined>('user_hash_key');
        if (instance === undefined) throw new Error('the table "instance" is empty: the database has not been migrated');
        return use({
          version,
          userHashKey: instance.user_hash_key,
          recentCounts: await recentCountsIn(transaction),
          hourlyImpressions: await hourlyImpressionsIn(transaction),
          pages: (table) => pagesOf(transaction, table),
        });
      },
      { isolationLevel: 'repeatable read', readOnly: true },
    ),
  readVersion: () => versionIn(knex),
});

/** So many rows are parsed in one go: about a millisecond of the event loop. A single answer of 100,000 rows holds it for a hundred. */
const PAGE = 250;

async function* pagesOf(knex: Knex, table: CatalogTable): AsyncGenerator<readonly CatalogRow[], void> {
  for (let after: unknown; ;) {
    const query = knex(table).select<CatalogRow[]>(COLUMNS[table]).orderBy('id').limit(PAGE);
    const page = await (after === undefined ? query : query.where('id', '>', after as number | string));
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.['id'];
  }
}

const versionIn = async (knex: Knex): Promise<number> => {
  const row = await knex('catalog_version').first<{ version: string } | undefined>('version');
  if (row === undefined) throw new Error('the table "catalog_version" is empty: the database has not been migrated');
  return Number(row.version);
};

/** Only for those whose price depends on them: at 100,000 line items, most of the history is of no use to a load. */
const recentCountsIn = async (knex: Knex): Promise<ReadonlyMap<number, RecentCounts>> => {
  const { rows } = await knex.raw<{ rows: { line_item_id: number; impressions: string; clicks: string; days: string }[] }>(`
    select counts.line_item_id, sum(counts.impressions) as impressions, sum(counts.clicks) as clicks, count(distinct counts.day) as days
    from daily_counts as counts join line_items on line_items.id = counts.line_item_id
    where line_items.budget_type <> 'CPM' and counts.day > (now() at time zone 'utc')::date - 30
    group by counts.line_item_id
  `);
  return new Map(
    rows.map((row) => [row.line_item_id, { impressions: Number(row.impressions), clicks: Number(row.clicks), days: Number(row.days) }]),
  );
};

/** The last seven days, without today: a day that is not over yet would make its first hours look busy. */
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
