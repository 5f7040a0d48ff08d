/** What the checks of creatives read from an uploaded file; null: not read yet. */
export async function up(knex) {
  await knex.raw('alter table assets add facts jsonb null');
}

export async function down(knex) {
  await knex.raw('alter table assets drop facts');
}
