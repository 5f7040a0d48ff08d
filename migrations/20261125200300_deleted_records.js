/** By the names of the audit trail. */
const TABLES = {
  publisher: 'publishers',
  placement: 'placements',
  advertiser: 'advertisers',
  bidder: 'bidders',
  campaign: 'campaigns',
  line_item: 'line_items',
  creative: 'creatives',
};

/**
 * What was deleted: the rows as they were, by which a deletion is undone whole, with their ids; and their names, which
 * reports of the past go on showing.
 *
 * - `deletion_id`: the line of the audit trail. `is_root`: the record that was deleted; the others went with it. `links`: a
 *   place that it had in a list of a record that stays, such as a placement of a creative.
 * - `row` is null when it is too old to be restored, and for what was deleted before rows were kept: the name stays.
 *
 * The accounts of what can be restored are rebuilt with those of what there is, so that a restored line item has its counts:
 * accounted_campaigns and accounted_line_items are both.
 */
export async function up(knex) {
  await knex.raw(`
    create table deleted_records (
      id bigint generated always as identity primary key,
      deletion_id bigint not null,
      table_name text not null,
      record_id text not null,
      name text null,
      is_root boolean not null,
      row jsonb null,
      deleted_at timestamptz not null default now()
    );
    create index deleted_records_record on deleted_records (table_name, record_id, id);
    create index deleted_records_deletion_id on deleted_records (deletion_id);
    create index deleted_records_campaigns on deleted_records ((record_id::int)) where table_name = 'campaigns' and row is not null;
    create index deleted_records_line_items on deleted_records (((row ->> 'campaign_id')::int)) where table_name = 'line_items' and row is not null;
    create index deleted_records_kept on deleted_records (deleted_at) where row is not null;

    create view accounted_campaigns as
      select id, publisher_id, end_at from campaigns
      union all
      select record_id::int, (row ->> 'publisher_id')::int, (row ->> 'end_at')::timestamptz
      from deleted_records where table_name = 'campaigns' and row is not null;
    create view accounted_line_items as
      select id, campaign_id from line_items
      union all
      select record_id::int, (row ->> 'campaign_id')::int from deleted_records where table_name = 'line_items' and row is not null;
  `);
  // The names of what was deleted before, from the last line about each.
  for (const [entity, table] of Object.entries(TABLES))
    await knex.raw(`
      insert into deleted_records (deletion_id, table_name, record_id, name, is_root, deleted_at)
      select id, '${table}', entity_id, name, false, at
      from (select distinct on (entity_id) id, entity_id, at, coalesce(after, before) ->> 'name' as name
            from audit where entity = '${entity}' order by entity_id, audit.id desc) last
      where name is not null and not exists (select from ${table} where id::text = entity_id)
      order by id`);
}

export async function down(knex) {
  await knex.raw(`
    drop view accounted_line_items, accounted_campaigns;
    drop table deleted_records;
  `);
}
