/** The day that a comment is about: it is a note on the charts of its record. */
export async function up(knex) {
  await knex.raw('alter table comments add day date null');
}

export async function down(knex) {
  await knex.raw('alter table comments drop day');
}
