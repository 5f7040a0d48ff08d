/**
 * Filtered hits by day, creative, kind and reason, updated in the transaction that stores the events.
 * Gross = these + daily_counts and event_counts, which are net.
 */
export async function up(knex) {
  await knex.raw(`
    create table filtered_counts (
      day date not null,
      line_item_id integer not null,
      creative_id integer not null,
      campaign_id integer not null,
      publisher_id integer not null,
      kind text not null,
      reason text not null,
      count bigint not null default 0,
      primary key (day, line_item_id, creative_id, campaign_id, publisher_id, kind, reason)
    );
    create index filtered_counts_line_item_id on filtered_counts (line_item_id, day);
    create index filtered_counts_campaign_id on filtered_counts (campaign_id, day);
  `);
}

export async function down(knex) {
  await knex.raw('drop table filtered_counts');
}
