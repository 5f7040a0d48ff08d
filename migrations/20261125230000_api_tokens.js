/**
 * API tokens: what a bearer token of a person or a machine may do, and of which publishers. The token itself is not
 * stored: `digest` is its SHA-256, `prefix` its first characters, by which people recognise it.
 *
 * - `publishers`: ids; null: all, also later ones.
 * - A revoked token stays, with its name: the history names who changed what.
 */
export async function up(knex) {
  await knex.raw(`
    create table api_tokens (
      id int generated always as identity primary key,
      name text not null unique,
      digest bytea not null unique,
      prefix text not null,
      roles text[] not null check (cardinality(roles) > 0),
      publishers int[] null check (cardinality(publishers) > 0),
      created_by text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz null,
      last_used_at timestamptz null,
      revoked_at timestamptz null
    );
  `);
}

export async function down(knex) {
  await knex.raw('drop table api_tokens');
}
