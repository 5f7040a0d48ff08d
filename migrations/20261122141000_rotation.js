/** How the creatives of a line item share its impressions. */
export async function up(knex) {
  await knex.raw(`alter table line_items add rotation text not null default 'weighted'`);
}

export async function down(knex) {
  await knex.raw('alter table line_items drop rotation');
}
