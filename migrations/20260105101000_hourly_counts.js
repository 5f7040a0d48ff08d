/**
 * Impressions of a publisher by UTC hour, updated in the transaction that stores the events. Pacing
 * derives a publisher's traffic curve from them. `day` and `hour` are those of the hit, not of the
 * selection.
 */
export async function up(knex) {
  await knex.raw(`
    create table hourly_counts (
      day date not null,
      hour smallint not null,
      publisher_id integer not null,
      impressions bigint not null default 0,
      primary key (day, hour, publisher_id)
    )
  `);
}

export async function down(knex) {
  await knex.raw('drop table hourly_counts');
}
