/** What a placement asks of the video and audio ads that play in it; null: nothing. */
export async function up(knex) {
  await knex.raw('alter table placements add video jsonb null');
}

export async function down(knex) {
  await knex.raw('alter table placements drop video');
}
