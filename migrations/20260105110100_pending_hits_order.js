/** The hits of a shard in the order in which they were stored: folding reads them page by page. */
export async function up(knex) {
  await knex.raw(`
    alter table pending_hits add column id bigint generated always as identity;
    drop index pending_hits_shard;
    create index pending_hits_shard on pending_hits (shard, id);
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop index pending_hits_shard;
    alter table pending_hits drop column id;
    create index pending_hits_shard on pending_hits (shard, stored_at);
  `);
}
