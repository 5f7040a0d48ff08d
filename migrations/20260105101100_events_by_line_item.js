/**
 * The delivery of a line item by hour is counted from its events. ONLY leaves existing partitions
 * without the index: building it would block new events, and only the current day is counted by
 * hour. Partitions created from now on have it.
 */
export async function up(knex) {
  await knex.raw('create index events_line_item_id on only events (line_item_id)');
}

export async function down(knex) {
  await knex.raw('drop index events_line_item_id');
}
