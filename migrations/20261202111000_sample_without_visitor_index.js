/**
 * Only `forget` looks for the pseudonym of a visitor, and it reads a million rows of the sample in half a second. Each new row wrote to another page of
 * the index: with a million rows and a checkpoint every 20,000 a row took 1,140 bytes of Postgres's log, and without the index 352.
 */
export async function up(knex) {
  await knex.raw('drop index traffic_sample_visitor');
}

export async function down(knex) {
  await knex.raw(`create index traffic_sample_visitor on traffic_sample using hash (visitor) where visitor <> ''`);
}
