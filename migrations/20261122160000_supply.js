/** Who is paid at this service's node of the supply chain, and the records of ads.txt that a bidder asks publishers for. */
export async function up(knex) {
  await knex.raw(`
    alter table bidders
      add schain_name text null,
      add schain_domain text null,
      add ads_txt jsonb not null default '[]'
  `);
}

export async function down(knex) {
  await knex.raw(`alter table bidders drop schain_name, drop schain_domain, drop ads_txt`);
}
