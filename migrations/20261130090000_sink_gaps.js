/**
 * Hours of which a sink lacks events, because it was too far behind: entries of a shard's stream after `after_entry` and up to
 * `to_entry`. `day` is that of the events' ads, `hour` that in which they were counted (UTC, YYYY-MM-DDTHH).
 */
export async function up(knex) {
  await knex.raw(`
    create table sink_gaps (
      id bigint generated always as identity primary key,
      sink text not null,
      day date not null,
      hour text not null,
      shard int not null,
      after_entry text not null,
      to_entry text not null,
      noticed_at timestamptz not null default now()
    )`);
}

export async function down(knex) {
  await knex.raw('drop table sink_gaps');
}
