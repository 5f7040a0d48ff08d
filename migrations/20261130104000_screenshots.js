/** Pictures of the ads of a campaign on the pages themselves, for the reports of its advertiser. */
export async function up(knex) {
  await knex.raw(`alter table campaigns add screenshots jsonb not null default '[]'`);
}

export async function down(knex) {
  await knex.raw('alter table campaigns drop screenshots');
}
