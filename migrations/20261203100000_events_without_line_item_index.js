/**
 * The index of event rows by line item took 68 bytes of log and a sixth of the time in which a row is stored. The comparison of counts reads
 * whole days, and the hours of a line item are in report_hours (docs/adr/0023-rows-first.md). A comparison by a replica of the release before
 * is slow meanwhile, and ends after a minute.
 */
export async function up(knex) {
  await knex.raw('drop index events_line_item_id');
}

/** Of days to come, without locking those that there are. */
export async function down(knex) {
  await knex.raw('create index events_line_item_id on only events (line_item_id)');
}
