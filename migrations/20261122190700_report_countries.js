const MEASURES = ['serves', 'impressions', 'clicks', 'viewable', 'events', 'spend_micros'];
const KEYS = 'day, line_item_id, country, reason, campaign_id, publisher_id';

/**
 * The roll-up that answers reports by country: report_places has a row for each region, of which a line item has
 * hundreds on a day. Its sums are those of report_places, which are copied here.
 */
export async function up(knex) {
  await knex.raw(`
    create table report_countries (
      day date not null,
      publisher_id integer not null,
      campaign_id integer not null,
      line_item_id integer not null,
      country text not null,
      reason text not null,
      ${MEASURES.map((name) => `${name} bigint not null default 0`).join(', ')}
    );
    insert into report_countries (${KEYS}, ${MEASURES.join(', ')})
      select ${KEYS}, ${MEASURES.map((name) => `sum(${name})`).join(', ')} from report_places group by ${KEYS};
    alter table report_countries add primary key (${KEYS});
    create index report_countries_campaign_id on report_countries (campaign_id, day);
  `);
}

export async function down(knex) {
  await knex.raw('drop table report_countries');
}
