/**
 * A creative runs on one placement or more: the first in `placement_id`, the others in
 * `more_placement_ids`. It is deleted with the last of them.
 */
export async function up(knex) {
  await knex.raw(`
    alter table creatives add more_placement_ids text[] not null default '{}';
    create index creatives_more_placement_ids on creatives using gin (more_placement_ids);
    create function keep_creatives_of_other_placements() returns trigger language plpgsql as $$
    begin
      update creatives set more_placement_ids = array_remove(more_placement_ids, old.id)
        where more_placement_ids @> array[old.id];
      update creatives set placement_id = more_placement_ids[1], more_placement_ids = more_placement_ids[2:]
        where placement_id = old.id and more_placement_ids <> '{}';
      return old;
    end $$;
    create trigger placements_keep_creatives before delete on placements
      for each row execute function keep_creatives_of_other_placements();
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop trigger placements_keep_creatives on placements;
    drop function keep_creatives_of_other_placements();
    alter table creatives drop more_placement_ids;
  `);
}
