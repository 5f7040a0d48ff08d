/**
 * Caps of a line item over its campaign or advertiser, by clicks and over several windows; and what a campaign may cost on a day.
 */
export async function up(knex) {
  await knex.raw(`
    alter table line_items add frequency_caps jsonb not null default '[]';
    alter table campaigns add daily_budget_micros bigint null;
    /* A load asks which campaigns are counted for caps: few are. */
    create index line_items_with_shared_caps on line_items (campaign_id)
      where (frequency_caps @> '[{"scope": "campaign"}]' or frequency_caps @> '[{"scope": "advertiser"}]') and not archived;
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop index line_items_with_shared_caps;
    alter table campaigns drop daily_budget_micros;
    alter table line_items drop frequency_caps;
  `);
}
