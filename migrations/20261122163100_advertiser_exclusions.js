/**
 * Advertisers that a publisher or a placement does not show, and which advertisers are not shown
 * together. A deleted advertiser leaves the lists.
 */
export async function up(knex) {
  await knex.raw(`
    alter table publishers
      add blocked_advertiser_ids integer[] not null default '{}',
      add blocked_advertiser_labels text[] not null default '{}';
    alter table placements
      add blocked_advertiser_ids integer[] not null default '{}',
      add blocked_advertiser_labels text[] not null default '{}';
    alter table advertisers
      add exclusive boolean not null default false,
      add exclusion_labels text[] not null default '{}';
    create function unblock_deleted_advertiser() returns trigger language plpgsql as $$
    begin
      update publishers set blocked_advertiser_ids = array_remove(blocked_advertiser_ids, old.id)
        where old.id = any(blocked_advertiser_ids);
      update placements set blocked_advertiser_ids = array_remove(blocked_advertiser_ids, old.id)
        where old.id = any(blocked_advertiser_ids);
      return old;
    end $$;
    create trigger advertisers_leave_lists before delete on advertisers
      for each row execute function unblock_deleted_advertiser();
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop trigger advertisers_leave_lists on advertisers;
    drop function unblock_deleted_advertiser();
    alter table advertisers drop exclusive, drop exclusion_labels;
    alter table placements drop blocked_advertiser_ids, drop blocked_advertiser_labels;
    alter table publishers drop blocked_advertiser_ids, drop blocked_advertiser_labels;
  `);
}
