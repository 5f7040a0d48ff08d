/** Line items that are shown on all their placements of a page, or on none. */
export async function up(knex) {
  await knex.raw('alter table line_items add roadblock boolean not null default false');
}

export async function down(knex) {
  await knex.raw('alter table line_items drop roadblock');
}
