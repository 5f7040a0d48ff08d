/** Each record may have a key, by which files and other systems name it. The writer compares it with all of the publisher; the index finds it. */
const UNIQUE = {
  publishers: 'external_key',
  placements: 'external_key, coalesce(publisher_id, 0)',
  advertisers: 'external_key',
  bidders: 'external_key',
  campaigns: 'external_key, publisher_id',
  line_items: 'external_key, campaign_id',
  creatives: 'external_key, line_item_id',
};

export async function up(knex) {
  for (const [table, columns] of Object.entries(UNIQUE))
    await knex.raw(`
      alter table ${table} add external_key varchar(128);
      create unique index ${table}_by_external_key on ${table} (${columns}) where external_key is not null;
    `);
}

export async function down(knex) {
  for (const table of Object.keys(UNIQUE)) await knex.raw(`alter table ${table} drop external_key`);
}
