/**
 * The id of this installation. The counters in Redis carry it, so that two installations cannot
 * share them by mistake.
 */
export async function up(knex) {
  await knex.schema.alterTable('instance', (table) => {
    table.uuid('installation_id').notNullable().defaultTo(knex.raw('gen_random_uuid()'));
  });
}

export async function down(knex) {
  await knex.schema.alterTable('instance', (table) => table.dropColumn('installation_id'));
}
