/**
 * Calls that were made with an Idempotency-Key. The key is a hash, and the answer is sealed with the key, because it may
 * hold a secret that is shown once.
 */
export async function up(knex) {
  await knex.raw(`
    create table idempotency_keys (
      caller text not null,
      key_hash bytea not null,
      route text not null,
      begun_at timestamptz not null default now(),
      /* null: the call has not ended. */
      body_hash bytea,
      status smallint,
      answer text,
      primary key (caller, key_hash)
    );
    create index idempotency_keys_begun on idempotency_keys (begun_at);
  `);
}

export async function down(knex) {
  await knex.raw('drop table idempotency_keys');
}
