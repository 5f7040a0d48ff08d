/**
 * A hit is stored once for each token, kind and event type, and once more when its request showed
 * that it is invalid (`screened`): a person's hit counts whoever requested the URL before. Why a hit
 * is filtered may change later, so `invalid_reason` is not part of the key.
 */
export async function up(knex) {
  await knex.raw(`
    alter table events drop constraint events_once;
    alter table events add screened boolean not null default false;
    alter table events add constraint events_once unique (day, jti, kind, event_type, screened);
  `);
}

export async function down(knex) {
  await knex.raw(`
    alter table events drop constraint events_once;
    alter table events drop column screened;
    alter table events add constraint events_once unique (day, jti, kind, event_type, invalid_reason);
  `);
}
