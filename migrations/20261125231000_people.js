/**
 * People who use the trafficking tool, their sessions, and the links by which they set a password.
 *
 * - Nobody is deleted: the history names people by their address. `disabled_at` ends their access.
 * - `publishers`, `advertisers`: ids; null: all, also later ones.
 * - `password`: a scrypt hash with its parameters; null: the person signs in by other ways.
 * - `totp_secret`: sealed (base/secret-box.ts); `totp_step`: of the last code, which is accepted once.
 * - `digest`: the SHA-256 of a secret. The secret itself is not stored.
 * - A link of the purpose `first` has no person: it creates the first administrator.
 */
export async function up(knex) {
  await knex.raw(`
    create table people (
      id int generated always as identity primary key,
      email text not null,
      name text not null,
      roles text[] not null default '{}',
      publishers int[] null check (cardinality(publishers) > 0),
      advertisers int[] null check (cardinality(advertisers) > 0),
      preferences jsonb not null default '{}',
      password text null,
      totp_secret text null,
      totp_step bigint null,
      created_by text not null,
      created_at timestamptz not null default now(),
      disabled_at timestamptz null
    );
    create unique index people_email on people (lower(email));

    create table sessions (
      id int generated always as identity primary key,
      digest bytea not null unique,
      person_id int not null references people,
      method text not null,
      user_agent text not null,
      network text not null,
      place text null,
      provider_session text null,
      id_token text null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz null
    );
    create index sessions_person on sessions (person_id);
    create index sessions_provider on sessions (provider_session) where provider_session is not null;

    create table person_links (
      id int generated always as identity primary key,
      digest bytea not null unique,
      purpose text not null check (purpose in ('first', 'invitation', 'reset')),
      person_id int null references people check ((person_id is null) = (purpose = 'first')),
      created_by text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at timestamptz null
    );
    create index person_links_person on person_links (person_id);

    create table passkeys (
      id int generated always as identity primary key,
      credential_id text not null unique,
      person_id int not null references people,
      name text not null,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz null
    );
    create index passkeys_person on passkeys (person_id);

    create table recovery_codes (
      person_id int not null references people,
      digest bytea not null,
      used_at timestamptz null,
      primary key (person_id, digest)
    );

    create table identities (
      issuer text not null,
      subject text not null,
      person_id int not null references people,
      primary key (issuer, subject)
    );
    create index identities_person on identities (person_id);

    alter table api_tokens add column advertisers int[] null check (cardinality(advertisers) > 0);
  `);
}

export async function down(knex) {
  await knex.raw(`
    alter table api_tokens drop column advertisers;
    drop table identities, recovery_codes, passkeys, person_links, sessions, people;
  `);
}
