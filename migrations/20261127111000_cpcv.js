/** The price of a completed view (budget type CPCV). */
export async function up(knex) {
  await knex.raw('alter table line_items add cpcv_micros bigint null');
}

export async function down(knex) {
  await knex.raw('alter table line_items drop cpcv_micros');
}
