/**
 * Searches of lists that people saved. `owner`: the name of the token, as in the audit trail. `query`:
 * the parameters of GET /api/<kind>: q, sort and filters.
 */
export async function up(knex) {
  await knex.raw(`
    create table saved_views (
      id integer generated always as identity primary key,
      owner text not null,
      kind text not null,
      name text not null,
      query text not null,
      unique (owner, kind, name)
    );
  `);
}

export async function down(knex) {
  await knex.raw('drop table saved_views');
}
