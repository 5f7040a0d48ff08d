/** A creative has a name, a status and a weight in the rotation; a publisher may require that creatives are approved. */
export async function up(knex) {
  await knex.raw(`
    alter table creatives
      add name text not null default '',
      add status text not null default 'approved',
      add weight integer not null default 1;
    alter table publishers add creative_approval text not null default 'automatic';
  `);
}

export async function down(knex) {
  await knex.raw(`
    alter table publishers drop creative_approval;
    alter table creatives drop name, drop status, drop weight;
  `);
}
