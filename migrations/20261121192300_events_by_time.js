/**
 * The hourly counts of a day are compared with the events of each hour. Rows of a partition are
 * almost in the order of `at`, so a BRIN index finds an hour in a few kilobytes of index. ONLY leaves
 * existing partitions without it: they are read as a whole.
 */
export async function up(knex) {
  await knex.raw('create index events_at on only events using brin (at) with (autosummarize = on)');
}

export async function down(knex) {
  await knex.raw('drop index events_at');
}
