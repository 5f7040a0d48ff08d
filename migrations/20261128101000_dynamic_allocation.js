/** Whether bidders may win over guaranteed line items that are ahead of their goals. */
export async function up(knex) {
  await knex.raw('alter table publishers add dynamic_allocation boolean not null default false');
}

export async function down(knex) {
  await knex.raw('alter table publishers drop dynamic_allocation');
}
