const MEASURES = `
  impressions bigint not null default 0,
  timeouts bigint not null default 0,
  bids bigint not null default 0,
  refused bigint not null default 0,
  wins bigint not null default 0`;

/**
 * What reports of bidders are answered from (src/events/postgres/roll-ups.ts). `bidder_id` is 0 for the
 * endpoint of a line item, `reason` is why bids were refused, '' for every other figure. A bid under a
 * deal is in both kinds of tables: once for its impression, once for its deal.
 */
export async function up(knex) {
  for (const [table, hour, deal] of [
    ['bid_days', '', ''],
    ['bid_hours', 'hour', ''],
    ['deal_days', '', 'deal_id'],
    ['deal_hours', 'hour', 'deal_id'],
  ]) {
    const keys = ['day', hour, 'publisher_id', 'placement_id', 'bidder_id', deal, 'reason'].filter(Boolean);
    await knex.raw(`
      create table ${table} (
        day date not null,
        ${hour && 'hour timestamptz not null,'}
        publisher_id integer not null,
        placement_id text not null,
        bidder_id integer not null,
        ${deal && 'deal_id text not null,'}
        reason text not null, ${MEASURES},
        primary key (${keys.join(', ')})
      )`);
  }
}

export async function down(knex) {
  await knex.raw('drop table deal_hours, deal_days, bid_hours, bid_days');
}
