/** The picture of a publisher on the reports that advertisers see. */
export async function up(knex) {
  await knex.raw('alter table publishers add logo text null');
}

export async function down(knex) {
  await knex.raw('alter table publishers drop logo');
}
