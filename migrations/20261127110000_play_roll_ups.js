/** What players report of videos and audio: how far they played, and their errors by code; '': the row is of no error. */
const MEASURES = ['starts', 'first_quartiles', 'midpoints', 'third_quartiles', 'completes', 'skips', 'errors'];
const SHOWN = 'line_item_id, creative_id, placement_id, reason, campaign_id, publisher_id, advertiser_id, size, error_code';

/** Counts of players, apart from the custom events of hits (src/events/postgres/roll-ups.ts). */
export async function up(knex) {
  for (const [table, time, key] of [
    ['play_days', '', 'day'],
    ['play_hours', 'hour timestamptz not null,', 'day, hour'],
  ])
    await knex.raw(`
      create table ${table} (
        day date not null, ${time}
        line_item_id integer not null,
        creative_id integer not null,
        placement_id text not null,
        reason text not null,
        campaign_id integer not null,
        publisher_id integer not null,
        advertiser_id integer not null,
        size text not null,
        error_code text not null,
        ${MEASURES.map((name) => `${name} bigint not null default 0`).join(', ')},
        primary key (${key}, ${SHOWN})
      )`);
  await knex.raw('create index play_days_campaign_id on play_days (campaign_id, day)');
}

export async function down(knex) {
  await knex.raw('drop table play_hours, play_days');
}
