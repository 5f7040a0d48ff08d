/** Who pays for the ads of an advertiser, where it is not the advertiser itself (DSA, article 26). */
export async function up(knex) {
  await knex.raw(`alter table advertisers add paid_by text null`);
}

export async function down(knex) {
  await knex.raw(`alter table advertisers drop paid_by`);
}
