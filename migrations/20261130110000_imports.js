/**
 * Files of other systems that are imported, and what these had delivered.
 *
 * - `imports.content`: gzip of JSON with the records, where they are in the file, and the days that were delivered; null once it is
 *   applied. `plan`: what applying it would change, or has changed. `state`: of the bookings when the plan was made.
 * - `imported_days`: counts of another system, by the day of the publisher. They are no events: no limit, budget or statement
 *   has them.
 */
export async function up(knex) {
  await knex.raw(`
    create table imports (
      id int generated always as identity primary key,
      publisher_id int references publishers on delete cascade,
      source text not null,
      source_words text not null,
      file_name text not null,
      file_bytes int not null,
      counts jsonb not null,
      notes jsonb not null,
      plan jsonb not null,
      state text not null,
      history_days int not null,
      content bytea,
      created_at timestamptz not null default now(),
      created_by text not null,
      applied_at timestamptz,
      applied_by text
    );
    create index imports_publisher on imports (publisher_id, id desc);

    create table import_files (
      import_id int not null references imports on delete cascade,
      sha256 text not null,
      name text not null,
      content bytea not null,
      primary key (import_id, sha256)
    );

    create table imported_days (
      publisher_id int not null references publishers on delete cascade,
      day date not null,
      creative_id int not null,
      placement_id text not null,
      line_item_id int not null,
      campaign_id int not null,
      source text not null,
      impressions int not null,
      clicks int not null,
      primary key (publisher_id, day, creative_id, placement_id)
    );
    create index imported_days_campaign on imported_days (campaign_id, day);
  `);
}

export async function down(knex) {
  await knex.raw('drop table imported_days; drop table import_files; drop table imports;');
}
