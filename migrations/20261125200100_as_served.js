/** The counts of hits, each with the other columns of its key. */
const OF_BOOKING = 'campaign_id, publisher_id';
const COUNTS = {
  daily_counts: 'day, line_item_id, creative_id, campaign_id, publisher_id',
  event_counts: 'day, line_item_id, creative_id, event_type',
  filtered_counts: 'day, line_item_id, creative_id, campaign_id, publisher_id, kind, reason',
  report_days: `day, line_item_id, creative_id, placement_id, reason, ${OF_BOOKING}`,
  report_hours: `day, hour, line_item_id, creative_id, placement_id, reason, ${OF_BOOKING}`,
  report_countries: `day, line_item_id, country, reason, ${OF_BOOKING}`,
  report_places: `day, line_item_id, country, region, reason, ${OF_BOOKING}`,
  report_devices: `day, line_item_id, device, browser, reason, ${OF_BOOKING}`,
};
/** Every roll-up by placement, with the other columns of its key; those of hits have the advertiser too. */
const SIZED = {
  report_days: `${COUNTS.report_days}, advertiser_id`,
  report_hours: `${COUNTS.report_hours}, advertiser_id`,
  request_days: 'day, publisher_id, placement_id, reason',
  request_hours: 'day, hour, publisher_id, placement_id, reason',
  bid_days: 'day, publisher_id, placement_id, bidder_id, reason',
  bid_hours: 'day, hour, publisher_id, placement_id, bidder_id, reason',
  deal_days: 'day, publisher_id, placement_id, bidder_id, deal_id, reason',
  deal_hours: 'day, hour, publisher_id, placement_id, bidder_id, deal_id, reason',
};

/**
 * What was delivered stays as it was delivered, whatever is edited afterwards.
 *
 * - `size`: that at which the ad was shown, '320x50'; of requests and bids that of the placement then. '': counted before
 *   sizes were stored.
 * - `advertiser_id`: who paid for the campaign when the hit was stored; 0: not known then.
 * - campaign_payers: who pays for each campaign, and since when. The first one pays for what was counted before it was named;
 *   -1: it was taken out, and nobody is known to pay since. Rows outlive their campaign. A trigger writes them, whatever writes
 *   the campaign.
 * - A line of a closed month is one of a campaign and of who paid for it.
 */
export async function up(knex) {
  await knex.raw(`
    create table campaign_payers (
      campaign_id integer not null,
      since timestamptz not null,
      until timestamptz not null default 'infinity',
      advertiser_id integer not null,
      publisher_id integer not null,
      primary key (campaign_id, since)
    );
    create unique index campaign_payers_now on campaign_payers (campaign_id) where until = 'infinity';
    create index campaign_payers_since on campaign_payers (since);
    create index campaign_payers_advertiser_id on campaign_payers (advertiser_id);
    insert into campaign_payers (campaign_id, since, advertiser_id, publisher_id)
      select id, '-infinity', advertiser_id, publisher_id from campaigns where advertiser_id is not null;

    create function note_payer() returns trigger language plpgsql as $$
    declare
      payer integer := coalesce(new.advertiser_id, -1);
      present integer;
      at timestamptz := clock_timestamp();
    begin
      -- After the payer before, also where the clock has stepped back.
      select advertiser_id, greatest(at, since + interval '1 microsecond') into present, at
        from campaign_payers where campaign_id = new.id and until = 'infinity';
      if not found then
        if payer <> -1 then
          insert into campaign_payers (campaign_id, since, advertiser_id, publisher_id) values (new.id, '-infinity', payer, new.publisher_id);
        end if;
      elsif present <> payer then
        update campaign_payers set until = at where campaign_id = new.id and until = 'infinity';
        insert into campaign_payers (campaign_id, since, advertiser_id, publisher_id) values (new.id, at, payer, new.publisher_id);
      end if;
      return null;
    end $$;
    create trigger campaigns_note_payer after insert or update of advertiser_id on campaigns
      for each row execute function note_payer();

    alter table finance_lines drop constraint finance_lines_pkey;
    create unique index finance_lines_once on finance_lines (publisher_id, month, of_month, campaign_id, coalesce(advertiser_id, 0));

    alter table events add size text not null default '', add advertiser_id integer not null default 0;
  `);
  for (const [table, key] of Object.entries(COUNTS)) await knex.raw(withKey(table, 'advertiser_id integer not null default 0', key));
  for (const [table, key] of Object.entries(SIZED)) await knex.raw(withKey(table, `size text not null default ''`, key));
}

const withKey = (table, column, key) => `
  alter table ${table} add ${column};
  alter table ${table} drop constraint ${table}_pkey;
  alter table ${table} add primary key (${key}, ${column.split(' ')[0]})`;

export async function down(knex) {
  for (const [table, key] of Object.entries(SIZED).toReversed()) await withoutKey(knex, table, 'size', key);
  for (const [table, key] of Object.entries(COUNTS).toReversed()) await withoutKey(knex, table, 'advertiser_id', key);
  await knex.raw(`
    drop index finance_lines_once;
    alter table finance_lines add primary key (publisher_id, month, of_month, campaign_id);
    alter table events drop size, drop advertiser_id;
    drop trigger campaigns_note_payer on campaigns;
    drop function note_payer();
    drop table campaign_payers;
  `);
}

/** Counts that differ in the column alone become one. */
const withoutKey = async (knex, table, column, key) => {
  const { rows } = await knex.raw(
    `select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = ?`,
    [table],
  );
  const sums = rows.map(({ name }) => name).filter((name) => name !== column && !key.split(', ').includes(name));
  await knex.raw(`
    create temp table merged on commit drop as select ${key}, ${sums.map((name) => `sum(${name}) as ${name}`).join(', ')} from ${table} group by ${key};
    truncate ${table};
    alter table ${table} drop ${column};
    alter table ${table} add primary key (${key});
    insert into ${table} (${key}, ${sums.join(', ')}) select ${key}, ${sums.join(', ')} from merged;
    drop table merged;
  `);
};
