/**
 * The key of daily_counts is what its rows are grouped by, so that two events can never update one
 * row twice in a statement.
 *
 * dead_events holds what Postgres refused for a lasting reason, or what could not be read. `payload`
 * is the JSON text of the fields of the stream entry: JSON escapes what `text` cannot hold. `sqlstate`
 * is null for an entry that could not be read.
 */
export async function up(knex) {
  await knex.raw(`
    alter table daily_counts drop constraint daily_counts_pkey;
    alter table daily_counts add primary key (day, line_item_id, creative_id, campaign_id, publisher_id);

    create table dead_events (
      id bigint generated always as identity primary key,
      source text not null,
      shard integer not null,
      entry_id text not null,
      payload text not null,
      sqlstate text null,
      reason text not null,
      at timestamptz not null default now()
    );
    create unique index dead_events_once on dead_events (source, shard, entry_id, md5(payload));
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop table dead_events;
    alter table daily_counts drop constraint daily_counts_pkey;
    alter table daily_counts add primary key (day, line_item_id, creative_id);
  `);
}
