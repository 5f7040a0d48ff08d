/**
 * The publisher's choices about privacy where a request or the law leaves them to it, and the id of a
 * bidder on the IAB Global Vendor List, by which a TCF string judges it.
 */
export async function up(knex) {
  await knex.raw(`
    alter table publishers
      add consent_when_silent text not null default 'by_country',
      add us_opt_out_ends_caps boolean not null default false,
      add caps_without_user_id text not null default 'contextual';
    alter table line_items add gvl_id integer null;
  `);
}

export async function down(knex) {
  await knex.raw(`
    alter table line_items drop gvl_id;
    alter table publishers drop consent_when_silent, drop us_opt_out_ends_caps, drop caps_without_user_id;
  `);
}
