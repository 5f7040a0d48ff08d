/**
 * The hours of a line item's day are counted from its events. ONLY: days that are there already go without, because building their indexes
 * would keep new events out meanwhile, and nobody asks for the hours of another day than today. Partitions made from now on have it.
 */
export async function up(knex) {
  await knex.raw('create index events_line_item_id on only events (line_item_id)');
}

export async function down(knex) {
  await knex.raw('drop index events_line_item_id');
}
