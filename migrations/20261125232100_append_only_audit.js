/**
 * The history is append-only for a role that may only select and insert (src/catalog/postgres/grant-service.ts). What has
 * passed its retention is deleted by this function, with the rights of its owner, and nothing that is younger than a year.
 */
export async function up(knex) {
  await knex.raw(`
    create function forget_changes(older_than timestamptz) returns bigint language sql security definer set search_path from current as $$
      with gone as (delete from audit where at < least(older_than, now() - interval '365 days') returning 1) select count(*) from gone
    $$;
  `);
}

export async function down(knex) {
  await knex.raw('drop function forget_changes(timestamptz)');
}
