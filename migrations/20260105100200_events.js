/**
 * Events, one row per (day, token, kind, type); the counts made from them; and the hits received
 * while Redis was away.
 *
 * `day` is the UTC day of the selection, `at` the time of the hit. The event writer creates a
 * partition when a day first appears and drops it after its retention. No foreign keys: events
 * outlive the records that they name.
 */
export async function up(knex) {
  await knex.raw(`
    create table events (
      day date not null,
      jti text not null,
      kind text not null,
      event_type text not null default '',
      invalid_reason text not null default '',
      at timestamptz not null,
      publisher_id integer not null,
      campaign_id integer not null,
      line_item_id integer not null,
      creative_id integer not null,
      placement_id text not null,
      user_hash text not null,
      country text null,
      device text null,
      billed_micros bigint not null default 0,
      constraint events_once unique (day, jti, kind, event_type, invalid_reason)
    ) partition by range (day);

    create table pending_hits (
      jti text not null,
      kind text not null,
      event_type text not null default '',
      invalid_reason text not null default '',
      shard integer not null,
      payload jsonb not null,
      stored_at timestamptz not null default now(),
      primary key (jti, kind, event_type, invalid_reason)
    );
    create index pending_hits_shard on pending_hits (shard, stored_at);

    create table daily_counts (
      day date not null,
      publisher_id integer not null,
      campaign_id integer not null,
      line_item_id integer not null,
      creative_id integer not null,
      serves bigint not null default 0,
      impressions bigint not null default 0,
      clicks bigint not null default 0,
      spend_micros bigint not null default 0,
      primary key (day, line_item_id, creative_id)
    );
    create index daily_counts_line_item_id on daily_counts (line_item_id, day);
    create index daily_counts_publisher_id on daily_counts (publisher_id, day);

    create table event_counts (
      day date not null,
      line_item_id integer not null,
      creative_id integer not null,
      event_type text not null,
      count bigint not null default 0,
      primary key (day, line_item_id, creative_id, event_type)
    );
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop table event_counts;
    drop table daily_counts;
    drop table pending_hits;
    drop table events;
  `);
}
