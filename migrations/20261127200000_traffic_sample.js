/**
 * A sample of the requests for ads, from which deliveries are forecast (src/forecast/sample): one row stands for `weight` requests
 * like it. `visitor`: a pseudonym of this table alone; '': the visitor may not be measured, and the row is a count.
 */
export async function up(knex) {
  await knex.raw(`
    create table traffic_sample (
      publisher_id integer not null,
      at timestamptz not null,
      weight real not null,
      visitor text not null,
      page_view integer not null,
      remembered boolean not null,
      floor_micros bigint null,
      visitor_offset smallint null,
      placements text[] not null,
      sizes text[] not null,
      pairs text[] not null
    );
    create index traffic_sample_at on traffic_sample (publisher_id, at);
    create index traffic_sample_age on traffic_sample using brin (at);
    create index traffic_sample_visitor on traffic_sample using hash (visitor) where visitor <> '';
  `);
}

export async function down(knex) {
  await knex.raw('drop table traffic_sample');
}
