/** Creatives of a roadblock that are shown together on a page, or not at all. */
export async function up(knex) {
  await knex.raw('alter table creatives add companion_set text null');
}

export async function down(knex) {
  await knex.raw('alter table creatives drop companion_set');
}
