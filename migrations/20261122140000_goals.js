/** A line item has goals over its flight, and how far its delivery runs ahead of even. */
export async function up(knex) {
  await knex.raw(`
    alter table line_items
      add goal_impressions bigint null,
      add goal_clicks bigint null,
      add frontload integer not null default 0;
  `);
}

export async function down(knex) {
  await knex.raw('alter table line_items drop goal_impressions, drop goal_clicks, drop frontload');
}
