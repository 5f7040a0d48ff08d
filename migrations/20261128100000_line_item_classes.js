/** What a line item was sold as. */
export async function up(knex) {
  await knex.raw('alter table line_items add class text null');
}

export async function down(knex) {
  await knex.raw('alter table line_items drop class');
}
