/** Pictures of the page of a placement, each with the place of the ad: previews are drawn on them. */
export async function up(knex) {
  await knex.raw(`alter table placements add page_pictures jsonb not null default '[]'`);
}

export async function down(knex) {
  await knex.raw('alter table placements drop page_pictures');
}
