/**
 * `reconciliation.next_at`: no round of the comparison begins before it, by any replica. A round rests for longer than it took, so that the
 * comparison of large days takes a small share of Postgres, however many replicas there are.
 */
export async function up(knex) {
  await knex.raw('alter table reconciliation add next_at timestamptz null');
}

export async function down(knex) {
  await knex.raw('alter table reconciliation drop next_at');
}
