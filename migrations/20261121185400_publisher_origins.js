/** The web origins whose pages may request ads with the publisher's key; empty: pages of any origin. */
export async function up(knex) {
  await knex.raw(`alter table publishers add origins text[] not null default '{}'`);
}

export async function down(knex) {
  await knex.raw(`alter table publishers drop origins`);
}
