/**
 * A line item names its placements. `follows_line_item`: a creative whose own list is kept to those of
 * its line item that it fits (bookings/followed-placements.ts). A campaign has whom to ask, and the order of its client.
 */
export async function up(knex) {
  await knex.raw(`
    alter table line_items add placement_ids text[] not null default '{}';
    create index line_items_placement_ids on line_items using gin (placement_ids);
    alter table creatives add follows_line_item boolean not null default false;
    alter table campaigns add contact text, add order_number text;
    create function forget_placement_of_line_items() returns trigger language plpgsql as $$
    begin
      update line_items set placement_ids = array_remove(placement_ids, old.id) where placement_ids @> array[old.id];
      return old;
    end $$;
    create trigger placements_leave_line_items before delete on placements
      for each row execute function forget_placement_of_line_items();
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop trigger placements_leave_line_items on placements;
    drop function forget_placement_of_line_items();
    alter table line_items drop placement_ids;
    alter table creatives drop follows_line_item;
    alter table campaigns drop contact, drop order_number;
  `);
}
