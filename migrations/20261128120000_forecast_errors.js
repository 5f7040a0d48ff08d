/**
 * How good forecasts were (src/forecast/errors).
 *
 * - forecast_errors: of each whole day, what forecasts of it said that were 1, 7 and 28 days old, and what came. subject:
 *   'placement' or 'line_item', and its key. widening: that of the range.
 * - forecast_nights: the last day of a publisher whose night's work one of the replicas has begun.
 * - forecast_bases.at_risk: line items that are expected to fall short of their goals.
 */
export async function up(knex) {
  await knex.raw(`
    create table forecast_errors (
      publisher_id integer not null,
      day date not null,
      age smallint not null,
      subject text not null,
      key text not null,
      p10 integer not null,
      p50 integer not null,
      p90 integer not null,
      widening real not null,
      actual integer not null,
      primary key (publisher_id, day, age, subject, key)
    );
    create table forecast_nights (
      publisher_id integer primary key references publishers on delete cascade,
      day date not null
    );
    alter table forecast_bases add at_risk jsonb not null default '[]';
  `);
}

export async function down(knex) {
  await knex.raw('drop table forecast_errors, forecast_nights; alter table forecast_bases drop at_risk');
}
