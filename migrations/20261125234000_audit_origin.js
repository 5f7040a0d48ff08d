/** From where people and tokens change something: the network without the part that names a person, and the client in words. */
export async function up(knex) {
  await knex.raw('alter table audit add column network text null, add column device text null');
}

export async function down(knex) {
  await knex.raw('alter table audit drop column network, drop column device');
}
