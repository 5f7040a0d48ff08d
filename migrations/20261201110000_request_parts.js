/**
 * What replicas count themselves is stored first and counted later, as event rows are (docs/adr/0023-rows-first.md): the same keys come
 * again every few seconds, and from every replica.
 *
 * - request_parts: counts of requests, or of serves by place, that are in no roll-up yet, up to a thousand to a row: each column
 *   of the counts is an array. A part is written in the transaction that takes its batch (request_batches), and deleted in the one that
 *   counts it. `at`: the beginning of the quarter of an hour. `retry_at`: Postgres refused to count it, and it is tried again then.
 *
 * Rows of counts that are updated again and again leave room for that in their page (fillfactor), so that an update touches no index.
 */
export async function up(knex) {
  await knex.raw(`
    create table request_parts (
      part bigint generated always as identity primary key,
      source text not null check (source in ('requests', 'serves')),
      at timestamptz not null,
      rows integer not null,
      stored_at timestamptz not null default now(),
      retry_at timestamptz null,
      counted_by text[] not null,
      publisher_id integer[] not null,
      campaign_id integer[] not null,
      line_item_id integer[] not null,
      creative_id integer[] not null,
      placement_id text[] not null,
      size text[] not null,
      country text[] not null,
      device text[] not null,
      browser text[] not null,
      reason text[] not null,
      count bigint[] not null
    )`);
  for (const table of COUNTS) await knex.raw(`alter table ${table} set (fillfactor = 80)`);
}

const COUNTS = ['request_days', 'request_hours', 'request_countries', 'request_devices'];

export async function down(knex) {
  for (const table of COUNTS) await knex.raw(`alter table ${table} reset (fillfactor)`);
  await knex.raw('drop table request_parts');
}
