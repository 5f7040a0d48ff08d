/** What a line item was sold at, what is given without a price, and what makes up for what was not delivered. */
export async function up(knex) {
  await knex.raw(`
    alter table line_items
      add list_price_micros bigint null,
      add discount double precision null,
      add added_value boolean not null default false,
      /* Kept when that line item is deleted. */
      add make_good_for integer null;
    create index line_items_make_goods on line_items (make_good_for) where make_good_for is not null;
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop index line_items_make_goods;
    alter table line_items drop make_good_for, drop added_value, drop discount, drop list_price_micros;
  `);
}
