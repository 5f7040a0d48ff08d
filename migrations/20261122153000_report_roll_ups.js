const MEASURES = `
  serves bigint not null default 0,
  impressions bigint not null default 0,
  clicks bigint not null default 0,
  viewable bigint not null default 0,
  events bigint not null default 0,
  spend_micros bigint not null default 0`;

/**
 * What reports are answered from: counts by the publisher's day or hour, written in the transaction
 * that stores the events (src/events/postgres/roll-ups.ts). `day` and `hour` are those of the hit in
 * the time zone that the publisher had when the hit was stored; the event keeps that zone, so that a
 * change of it divides no event. `hour` is the moment at which the hour began: a zone with half hours
 * needs no finer grain, and the hour that a clock repeats in autumn is two rows. `reason` is why the
 * hits are filtered, '' for those that count; of requests, why they got no ad.
 *
 * A check on time_zone with a constant: Postgres raises an error for a zone that it does not know.
 */
export async function up(knex) {
  await knex.raw(`
    alter table publishers add time_zone text not null default 'UTC'
      constraint publishers_time_zone check ((timestamptz '2026-01-01 00:00+00' at time zone time_zone) is not null);
    alter table events
      add region text null,
      add browser text null,
      add zone text not null default 'UTC';

    create table report_days (
      day date not null,
      publisher_id integer not null,
      campaign_id integer not null,
      line_item_id integer not null,
      creative_id integer not null,
      placement_id text not null,
      reason text not null, ${MEASURES},
      primary key (day, line_item_id, creative_id, placement_id, reason, campaign_id, publisher_id)
    );
    create index report_days_campaign_id on report_days (campaign_id, day);

    create table report_hours (
      day date not null,
      hour timestamptz not null,
      publisher_id integer not null,
      campaign_id integer not null,
      line_item_id integer not null,
      creative_id integer not null,
      placement_id text not null,
      reason text not null, ${MEASURES},
      primary key (day, hour, line_item_id, creative_id, placement_id, reason, campaign_id, publisher_id)
    );

    create table report_places (
      day date not null,
      publisher_id integer not null,
      campaign_id integer not null,
      line_item_id integer not null,
      country text not null,
      region text not null,
      reason text not null, ${MEASURES},
      primary key (day, line_item_id, country, region, reason, campaign_id, publisher_id)
    );
    create index report_places_campaign_id on report_places (campaign_id, day);

    create table report_devices (
      day date not null,
      publisher_id integer not null,
      campaign_id integer not null,
      line_item_id integer not null,
      device text not null,
      browser text not null,
      reason text not null, ${MEASURES},
      primary key (day, line_item_id, device, browser, reason, campaign_id, publisher_id)
    );
    create index report_devices_campaign_id on report_devices (campaign_id, day);

    create table request_days (
      day date not null,
      publisher_id integer not null,
      placement_id text not null,
      reason text not null,
      requests bigint not null,
      primary key (day, publisher_id, placement_id, reason)
    );
    create table request_hours (
      day date not null,
      hour timestamptz not null,
      publisher_id integer not null,
      placement_id text not null,
      reason text not null,
      requests bigint not null,
      primary key (day, hour, publisher_id, placement_id, reason)
    );

    -- The last batch of request counts of each replica: a batch whose answer was lost is sent again.
    create table request_batches (
      replica uuid primary key,
      batch bigint not null,
      stored_at timestamptz not null default now()
    );
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop table request_batches, request_hours, request_days, report_devices, report_places, report_hours, report_days;
    alter table events drop region, drop browser, drop zone;
    alter table publishers drop time_zone;
  `);
}
