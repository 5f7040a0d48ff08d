/**
 * Forecasts (src/forecast). traffic_events: what staff know of traffic to come. forecasts: what was asked, and the answer as it
 * grows. forecast_bases: what all bookings of a publisher deliver, made once for a version of the catalog and a day; of each
 * night one is kept, to be compared with what came.
 */
export async function up(knex) {
  await knex.raw(`
    create table traffic_events (
      id serial primary key,
      publisher_id integer not null references publishers on delete cascade,
      name text not null,
      from_at timestamptz not null,
      to_at timestamptz not null,
      factor real not null,
      placements text[] not null,
      key_values jsonb not null
    );
    create index traffic_events_publisher on traffic_events (publisher_id, from_at);
    create table forecasts (
      id uuid primary key,
      publisher_id integer not null,
      state text not null,
      progress real not null default 0,
      question jsonb not null,
      answer jsonb null,
      reason text null,
      asked_at timestamptz not null default now(),
      told_at timestamptz not null default now()
    );
    create index forecasts_asked_at on forecasts (asked_at);
    create table forecast_bases (
      publisher_id integer not null,
      made_on date not null,
      catalog_version bigint not null,
      figures jsonb not null,
      made_at timestamptz not null default now(),
      primary key (publisher_id, made_on)
    );
  `);
}

export async function down(knex) {
  await knex.raw('drop table forecast_bases, forecasts, traffic_events');
}
