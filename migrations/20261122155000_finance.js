/**
 * Closed months of publishers, and what was booked when they were closed: a line for each campaign and
 * month of origin. `of_month` = `month`: the figures of that month; an earlier one: a correction, what
 * later hits changed of a month that was closed before. Nothing changes a line. `amount_micros`: the
 * revenue in the currency that the publisher had, at the rate of the day on which the month was closed
 * (units for one USD).
 */
export async function up(knex) {
  await knex.raw(`
    alter table publishers add currency text not null default 'USD';
    create table finance_months (
      publisher_id integer not null,
      month date not null,
      closed_at timestamptz not null default now(),
      closed_by text not null,
      currency text not null,
      rate float8 not null,
      primary key (publisher_id, month)
    );
    create table finance_lines (
      publisher_id integer not null,
      month date not null,
      of_month date not null,
      campaign_id integer not null,
      advertiser_id integer null,
      impressions bigint not null,
      clicks bigint not null,
      revenue_micros bigint not null,
      amount_micros bigint not null,
      primary key (publisher_id, month, of_month, campaign_id),
      foreign key (publisher_id, month) references finance_months (publisher_id, month)
    );
    create index finance_lines_of_month on finance_lines (publisher_id, of_month);
  `);
}

export async function down(knex) {
  await knex.raw('drop table finance_lines, finance_months; alter table publishers drop currency;');
}
