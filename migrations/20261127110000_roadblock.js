/** Line items that are shown on all their placements of a page, or on none; and the places of creatives in a sequence. */
export async function up(knex) {
  await knex.raw('alter table line_items add roadblock boolean not null default false');
  await knex.raw('alter table creatives add step integer null');
}

export async function down(knex) {
  await knex.raw('alter table creatives drop step');
  await knex.raw('alter table line_items drop roadblock');
}
