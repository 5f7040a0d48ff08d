/**
 * Why line items were not shown, by UTC hour (src/events/postgres/refusal-store.ts). `reason` is the
 * number of a no-bid reason, or 0: another line item was shown, `outranked_by`; 0 there: several, each
 * of them rarely. Rows are deleted after two weeks.
 */
export async function up(knex) {
  await knex.raw(`
    create table refusals (
      line_item_id integer not null,
      hour timestamptz not null,
      reason smallint not null,
      outranked_by integer not null,
      impressions bigint not null,
      primary key (line_item_id, hour, reason, outranked_by)
    );
    create index refusals_hour on refusals (hour);
  `);
}

export async function down(knex) {
  await knex.raw('drop table refusals');
}
