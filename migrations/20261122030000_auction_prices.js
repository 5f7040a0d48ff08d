/** What a direct line item answers an auction: its value, and the id of its deal. */
export async function up(knex) {
  await knex.schema.alterTable('line_items', (table) => {
    table.bigInteger('value_cpm_micros');
    table.text('deal_id');
  });
}

export async function down(knex) {
  await knex.schema.alterTable('line_items', (table) => {
    table.dropColumns('value_cpm_micros', 'deal_id');
  });
}
