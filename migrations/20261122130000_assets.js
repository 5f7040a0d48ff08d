/**
 * Files of creatives, by the SHA-256 of what was uploaded: a picture is one file, an HTML5 ad (a
 * zip) one for each of its files. `stored_bytes` is what counts against the limit of a publisher.
 */
export async function up(knex) {
  await knex.raw(`
    create table assets (
      sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
      publisher_id integer references publishers (id) on delete set null,
      name text not null,
      path text not null,
      type text not null,
      width integer,
      height integer,
      bytes integer not null check (bytes > 0),
      stored_bytes integer not null check (stored_bytes > 0),
      created_at timestamptz not null default now()
    );
    create index assets_publisher_id on assets (publisher_id);
    create table asset_files (
      path text primary key,
      sha256 text not null references assets (sha256) on delete cascade,
      type text not null,
      content bytea not null
    );
    create index asset_files_sha256 on asset_files (sha256);
    -- Pictures are compressed already.
    alter table asset_files alter content set storage external;
  `);
}

export async function down(knex) {
  await knex.raw('drop table asset_files; drop table assets');
}
