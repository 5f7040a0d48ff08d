/**
 * The signals of a hit are stored with its row, in one transaction, and never alone: the key of the row keeps them single. A key of
 * their own cost half of what they cost, for `refilter`, which makes an index for the day that it reads.
 */
export async function up(knex) {
  await knex.raw('alter table event_signals drop constraint event_signals_pkey');
}

export async function down(knex) {
  await knex.raw('alter table event_signals add primary key (day, jti, kind, event_type, screened)');
}
