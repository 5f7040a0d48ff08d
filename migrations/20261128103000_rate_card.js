/** List prices of a publisher. */
export async function up(knex) {
  await knex.raw(`alter table publishers add rate_card jsonb not null default '[]'`);
}

export async function down(knex) {
  await knex.raw('alter table publishers drop rate_card');
}
