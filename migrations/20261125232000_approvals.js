/**
 * What a publisher lets a second person approve, and the changes that wait for that.
 *
 * - `operations`: as in a bulk change. `changes`: the records before and after them, as they were proposed; an approval is
 *   refused when a record has changed since.
 * - `reasons`: why a second person is needed. A proposal that is neither approved nor sent back ends at `expires_at`.
 * - `audit.approved_by`: the second person, beside the one who proposed the change (`actor`).
 */
export async function up(knex) {
  await knex.raw(`
    alter table publishers
      add column approval_price_below_micros bigint null check (approval_price_below_micros >= 0),
      add column approval_discount_over int null check (approval_discount_over between 0 and 100),
      add column approval_of_priority_1 boolean not null default false,
      add column approval_budget_above_micros bigint null check (approval_budget_above_micros >= 0),
      add column approval_of_closing boolean not null default false,
      add column approval_of_unblocking boolean not null default false;

    create table approvals (
      id int generated always as identity primary key,
      publisher_id int not null references publishers on delete cascade,
      operations jsonb not null,
      changes jsonb not null,
      reasons jsonb not null,
      note text not null,
      proposed_by text not null,
      proposed_at timestamptz not null default now(),
      expires_at timestamptz not null,
      state text not null default 'open' check (state in ('open', 'approved', 'sent_back', 'withdrawn')),
      decided_by text null,
      decided_at timestamptz null,
      words text null,
      check ((state = 'open') = (decided_at is null))
    );
    create index approvals_open on approvals (publisher_id, id) where state = 'open';
    create index approvals_publisher on approvals (publisher_id, id);

    alter table audit add column approved_by text null;
  `);
}

export async function down(knex) {
  await knex.raw(`
    alter table audit drop column approved_by;
    drop table approvals;
    alter table publishers
      drop column approval_price_below_micros, drop column approval_discount_over, drop column approval_of_priority_1,
      drop column approval_budget_above_micros, drop column approval_of_closing, drop column approval_of_unblocking;
  `);
}
