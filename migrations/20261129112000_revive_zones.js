/** The zone of Revive Adserver whose tags a placement answers. */
export async function up(knex) {
  await knex.raw('alter table placements add revive_zone_id int null');
  await knex.raw('create unique index placements_revive_zone_id on placements (revive_zone_id)');
}

export async function down(knex) {
  await knex.raw('alter table placements drop revive_zone_id');
}
