/** What staff write about a campaign or a line item. It is deleted with it. */
export async function up(knex) {
  await knex.raw(`
    create table comments (
      id bigint generated always as identity primary key,
      campaign_id integer null references campaigns on delete cascade,
      line_item_id integer null references line_items on delete cascade,
      at timestamptz not null default now(),
      actor text not null,
      text text not null check (length(text) between 1 and 4000),
      check (num_nonnulls(campaign_id, line_item_id) = 1)
    );
    create index comments_campaign_id on comments (campaign_id, id);
    create index comments_line_item_id on comments (line_item_id, id);
  `);
}

export async function down(knex) {
  await knex.raw('drop table comments');
}
