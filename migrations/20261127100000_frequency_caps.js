/**
 * Caps of a line item over its campaign or advertiser, by clicks and over several windows; what a campaign may cost on a day;
 * and whether a page has one ad of each advertiser.
 */
export async function up(knex) {
  await knex.raw(`
    alter table line_items add frequency_caps jsonb not null default '[]';
    alter table publishers add one_per_advertiser boolean not null default false;
    alter table campaigns add daily_budget_micros bigint null;
    /* A load asks which campaigns are counted for caps: few are. */
    create index line_items_with_shared_caps on line_items (campaign_id)
      where (frequency_caps @> '[{"scope": "campaign"}]' or frequency_caps @> '[{"scope": "advertiser"}]') and not archived;
  `);
}

export async function down(knex) {
  await knex.raw(`
    alter table publishers drop one_per_advertiser;
    drop index line_items_with_shared_caps;
    alter table campaigns drop daily_budget_micros;
    alter table line_items drop frequency_caps;
  `);
}
