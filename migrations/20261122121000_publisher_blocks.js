/** What a publisher does not want shown, and the only categories that it takes. */
export async function up(knex) {
  await knex.raw(`
    alter table publishers
      add badv jsonb not null default '[]',
      add bcat jsonb not null default '[]',
      add acat jsonb not null default '[]',
      add cattax smallint not null default 1,
      add battr jsonb not null default '[]'
  `);
}

export async function down(knex) {
  await knex.raw('alter table publishers drop badv, drop bcat, drop acat, drop cattax, drop battr');
}
