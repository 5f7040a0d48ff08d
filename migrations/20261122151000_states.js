const TABLES = ['publishers', 'placements', 'advertisers', 'bidders', 'campaigns', 'line_items', 'creatives'];

/** What is archived is kept for reports and is neither served nor listed. A campaign can be paused as a whole. */
export async function up(knex) {
  for (const table of TABLES) await knex.raw(`alter table ${table} add archived boolean not null default false`);
  await knex.raw(`alter table campaigns add active boolean not null default true`);
}

export async function down(knex) {
  await knex.raw(`alter table campaigns drop active`);
  for (const table of TABLES) await knex.raw(`alter table ${table} drop archived`);
}
