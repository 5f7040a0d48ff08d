/** Roles that a publisher's administrators make: sets of permissions. People and tokens have them by name, as they have built-in ones. */
export async function up(knex) {
  await knex.raw(`
    create table own_roles (
      id int generated always as identity primary key,
      name text not null unique,
      permissions text[] not null check (cardinality(permissions) > 0),
      created_by text not null,
      created_at timestamptz not null default now()
    );
  `);
}

export async function down(knex) {
  await knex.raw('drop table own_roles');
}
