/**
 * `delivered`: the ways ('webhook', 'email') that have taken the report of `due_at`. A later attempt
 * leaves them out, so that a webhook that fails neither withholds nor repeats a mail.
 */
export async function up(knex) {
  await knex.raw(`alter table saved_reports add delivered text[] not null default '{}'`);
}

export async function down(knex) {
  await knex.raw('alter table saved_reports drop delivered');
}
