/** People who are named in comments (`@ann`), until they take the mention out of their inbox. */
export async function up(knex) {
  await knex.raw(`
    create table mentions (
      id int generated always as identity primary key,
      comment_id bigint not null references comments on delete cascade,
      person_id int not null references people,
      unique (comment_id, person_id)
    );
    create index mentions_person on mentions (person_id, id);
  `);
}

export async function down(knex) {
  await knex.raw('drop table mentions');
}
