/** A page that has the tag of a placement: previews show ads on the page itself. */
export async function up(knex) {
  await knex.raw('alter table placements add page_url text');
}

export async function down(knex) {
  await knex.raw('alter table placements drop page_url');
}
