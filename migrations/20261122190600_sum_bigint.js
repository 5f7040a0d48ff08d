/**
 * A sum of integers that stays an integer. The sum of Postgres is numeric: over a year of line items by day it takes
 * three times the memory and half of the time of a report. Postgres raises an error where the sum has more than 64 bits.
 */
export async function up(knex) {
  await knex.raw(`
    create aggregate sum_bigint(bigint) (sfunc = int8pl, stype = bigint, combinefunc = int8pl, parallel = safe)
  `);
}

export async function down(knex) {
  await knex.raw('drop aggregate sum_bigint(bigint)');
}
