/** Bookings that a person has begun, and templates. `owner`: who, as in the audit trail. */
export async function up(knex) {
  await knex.raw(`
    create table booking_drafts (
      owner text not null,
      key text not null,
      kind text not null,
      name text not null,
      content jsonb not null,
      changed_at timestamptz not null default now(),
      primary key (owner, key)
    );
  `);
}

export async function down(knex) {
  await knex.raw('drop table booking_drafts');
}
