/**
 * What the last complete comparison of the books found, for the gauges of all replicas: one row for
 * the daily counts (against the event rows) and one for the accounts (against the daily counts).
 */
export async function up(knex) {
  await knex.raw(`
    create table reconciliation (
      scope text primary key,
      compared_at timestamptz not null,
      differences integer not null
    );
    create index daily_counts_campaign_id on daily_counts (campaign_id, day);
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop index daily_counts_campaign_id;
    drop table reconciliation;
  `);
}
