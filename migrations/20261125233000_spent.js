/**
 * What may be used once: the states of sign-ins at providers, the ids of their logout tokens, the
 * challenges of passkeys. `digest`: SHA-256. After `ends_at` the row is not needed.
 */
export async function up(knex) {
  await knex.raw(`
    create table spent (
      digest bytea primary key,
      ends_at timestamptz not null
    );
    create index spent_ends on spent (ends_at);
  `);
}

export async function down(knex) {
  await knex.raw('drop table spent');
}
