/**
 * ledger_replicas.session: the process of Postgres that took the replica's last beat. While it is there, the replica may live although
 * it writes nothing, and have granted what is not written yet (docs/adr/0016-epochs-of-the-books.md).
 */
export async function up(knex) {
  await knex.raw('alter table ledger_replicas add session integer null');
}

export async function down(knex) {
  await knex.raw('alter table ledger_replicas drop session');
}
