/**
 * What judges a stored hit again (commands/refilter): the sender of each hit that may keep it, when
 * its token ends, and of a filtered hit what counting it would take (`hit`). Partitioned by day as
 * `events` is, and dropped after 30 days; the event rows stay.
 */
export async function up(knex) {
  await knex.raw(`
    create table event_signals (
      day date not null,
      jti text not null,
      kind text not null,
      event_type text not null,
      screened boolean not null,
      token_ends_at timestamptz not null,
      network text null,
      agent text null,
      origin text null,
      elsewhere boolean not null,
      hit jsonb null,
      primary key (day, jti, kind, event_type, screened)
    ) partition by range (day)
  `);
}

export async function down(knex) {
  await knex.raw('drop table event_signals');
}
