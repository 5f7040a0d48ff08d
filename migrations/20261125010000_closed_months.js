/**
 * A closed month is a document: the names that its lines had, and the zone, the beginning and the end
 * of the month when it was closed. Corrections of the month are counted within these moments, in its
 * currency, at its rate. Of months that were closed before, what the catalog says now is stored.
 */
export async function up(knex) {
  await knex.raw(`
    alter table finance_months
      add publisher text null,
      add time_zone text null,
      add begins_at timestamptz null,
      add ends_at timestamptz null;
    update finance_months f
      set publisher = p.name, time_zone = p.time_zone
      from publishers p where p.id = f.publisher_id;
    update finance_months set publisher = '#' || publisher_id, time_zone = 'UTC' where publisher is null;
    update finance_months
      set begins_at = month::timestamp at time zone time_zone, ends_at = (month + interval '1 month') at time zone time_zone;
    alter table finance_months
      alter publisher set not null,
      alter time_zone set not null,
      alter begins_at set not null,
      alter ends_at set not null;
    alter table finance_lines
      add campaign text null,
      add advertiser text null;
    update finance_lines l set campaign = c.name from campaigns c where c.id = l.campaign_id;
    update finance_lines l set advertiser = a.name from advertisers a where a.id = l.advertiser_id;
  `);
}

export async function down(knex) {
  await knex.raw(`
    alter table finance_lines drop campaign, drop advertiser;
    alter table finance_months drop publisher, drop time_zone, drop begins_at, drop ends_at;
  `);
}
