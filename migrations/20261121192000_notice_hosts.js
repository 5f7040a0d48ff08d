/** Hosts, besides that of its endpoint, to which a line item's bidder may have notices sent. */
export async function up(knex) {
  await knex.schema.alterTable('line_items', (table) => {
    table.jsonb('notice_hosts').notNullable().defaultTo('[]');
  });
}

export async function down(knex) {
  await knex.schema.alterTable('line_items', (table) => {
    table.dropColumn('notice_hosts');
  });
}
