/**
 * Read-only links to reports, which were signed and stored nowhere: now each is listed and can be revoked. `digest` is the
 * SHA-256 of the link's secret, `prefix` its first characters. `publishers`: whose figures it shows; null: of all. Links
 * name an advertiser without a reference, so that they work again when a deletion is undone.
 *
 * saved_reports.publishers: whose figures a saved report has: those that its owner could see; null: of all.
 *
 * audit.note: why something was changed, in the words of who changed it.
 */
export async function up(knex) {
  await knex.raw(`
    create table report_links (
      id int generated always as identity primary key,
      digest bytea not null unique,
      prefix text not null,
      advertiser_id int not null,
      title text not null,
      query text not null,
      publishers int[] null check (cardinality(publishers) > 0),
      created_by text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      last_used_at timestamptz null,
      revoked_at timestamptz null
    );
    alter table saved_reports add column publishers int[] null check (cardinality(publishers) > 0);
    alter table audit add column note text null;
  `);
}

export async function down(knex) {
  await knex.raw(`
    alter table audit drop column note;
    alter table saved_reports drop column publishers;
    drop table report_links;
  `);
}
