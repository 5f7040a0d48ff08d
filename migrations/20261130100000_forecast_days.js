/**
 * What forecasts that were a week old said of each whole day, and what came, for reports (src/forecast/errors/compare-forecasts.ts).
 * They are kept for as long as other counts by the day; `off` is how far the forecast was off.
 */
export async function up(knex) {
  await knex.raw(`
    create table forecast_days (
      day date not null,
      publisher_id integer not null,
      campaign_id integer not null,
      line_item_id integer not null,
      forecast bigint not null,
      came bigint not null,
      off bigint not null,
      primary key (day, publisher_id, campaign_id, line_item_id)
    );
    create table request_forecast_days (
      day date not null,
      publisher_id integer not null,
      placement_id text not null,
      forecast bigint not null,
      came bigint not null,
      off bigint not null,
      primary key (day, publisher_id, placement_id)
    );
    insert into forecast_days
      select day, publisher_id, campaign_id, line_items.id, p50, actual, abs(actual - p50)
      from forecast_errors join line_items on line_items.id::text = key where subject = 'line_item' and age = 7;
    insert into request_forecast_days
      select day, publisher_id, key, p50, actual, abs(actual - p50) from forecast_errors where subject = 'placement' and age = 7;
  `);
}

export async function down(knex) {
  await knex.raw('drop table forecast_days, request_forecast_days');
}
