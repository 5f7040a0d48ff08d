/** Recipients that get what is at risk each morning. */
export async function up(knex) {
  await knex.raw(`alter table alert_recipients add digest boolean not null default false, add digest_at timestamptz null`);
  await knex.raw('create index alert_recipients_digest on alert_recipients (digest_at) where digest');
}

export async function down(knex) {
  await knex.raw('alter table alert_recipients drop digest, drop digest_at');
}
