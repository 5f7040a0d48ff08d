/**
 * When a line item first became servable: active, with a creative. From then on a replica may hold
 * it ready to serve under its campaign and its publisher, however old that replica's snapshot is,
 * so the trafficking API no longer changes those parents. A campaign becomes servable with its
 * first line item and stays so when that is deleted.
 *
 * Flights do not count: a replica without Postgres keeps its snapshot past the start of a flight.
 * Triggers note the time, in the transaction that makes the row servable, so that the rule covers
 * every way of writing a row. Each runs once per statement and writes only what it has to note.
 */
export async function up(knex) {
  await knex.raw(`
    alter table campaigns add servable_since timestamptz null;
    alter table line_items add servable_since timestamptz null;

    -- The argument is the column of the changed rows that holds the id of their line item.
    create function note_servable() returns trigger language plpgsql as $$
    declare
      ids integer[];
    begin
      execute format(
        'select array_agg(id) from line_items where active and servable_since is null and id in (select %I from changed)
         and exists (select from creatives where line_item_id = line_items.id)', tg_argv[0]) into ids;
      if ids is not null then
        update line_items set servable_since = now() where id = any(ids);
        update campaigns set servable_since = now()
        where servable_since is null and id in (select campaign_id from line_items where id = any(ids));
      end if;
      return null;
    end
    $$;

    create trigger creatives_inserted_note_servable after insert on creatives
      referencing new table as changed for each statement execute function note_servable('line_item_id');
    create trigger creatives_updated_note_servable after update on creatives
      referencing new table as changed for each statement execute function note_servable('line_item_id');
    create trigger line_items_updated_note_servable after update on line_items
      referencing new table as changed for each statement execute function note_servable('id');
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop trigger line_items_updated_note_servable on line_items;
    drop trigger creatives_updated_note_servable on creatives;
    drop trigger creatives_inserted_note_servable on creatives;
    drop function note_servable();
    alter table line_items drop servable_since;
    alter table campaigns drop servable_since;
  `);
}
