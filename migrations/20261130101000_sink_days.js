/**
 * When each day of a sink was last compared with the event rows, and how many hours differed and were handed to it again.
 * compared_at null: not yet, or not since the rows were changed.
 */
export async function up(knex) {
  await knex.raw(`
    create table sink_days (
      sink text not null,
      day date not null,
      claimed_at timestamptz not null default '-infinity',
      compared_at timestamptz null,
      hours int not null default 0,
      primary key (sink, day)
    )`);
}

export async function down(knex) {
  await knex.raw('drop table sink_days');
}
