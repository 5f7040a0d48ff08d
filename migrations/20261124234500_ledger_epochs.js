/**
 * What replicas need to know when Redis has lost data (docs/concepts/lost-counters.md).
 *
 * - ledger_epochs: which content of Redis the counters belong to. `scope`: 0 on a single server, the shard in a cluster.
 *   `server` names the process that has it; `opened_ms` is its clock when the epoch began, 0 where nothing was lost.
 *   `behind`: Postgres was restored to a state older than Redis, and what it lost is not carried over yet.
 * - ledger_replicas: when each replica last wrote its holds, and the epoch of each scope that it knew then.
 * - open_holds: the holds of Redis, as Postgres knows them. `granted`: as the replicas that were granted them say, within a
 *   second. `settled`: those whose impression has its event row, written in the same transaction. `hold_end`: epoch ms.
 * - carried_counts: what Redis had counted and Postgres lost, because it was restored to an earlier state. It has no event
 *   rows, so it is neither billed nor reported, and it counts towards caps and budgets.
 */
export async function up(knex) {
  await knex.raw(`
    create table ledger_epochs (
      scope integer primary key,
      epoch text not null,
      state text not null check (state in ('rebuilding', 'open')),
      server text not null,
      opened_ms bigint not null,
      reason text not null,
      behind boolean not null default false,
      changed_at timestamptz not null default now()
    );
    create table ledger_replicas (
      replica text primary key,
      seen_at timestamptz not null,
      epochs jsonb not null
    );
    create table open_holds (
      hold_end bigint not null,
      line_item_id integer not null,
      day date not null,
      campaign_id integer not null,
      publisher_id integer not null,
      granted bigint not null default 0,
      granted_micros bigint not null default 0,
      settled bigint not null default 0,
      settled_micros bigint not null default 0,
      primary key (hold_end, line_item_id, day)
    ) with (fillfactor = 80);
    create index open_holds_campaign_id on open_holds (campaign_id, hold_end);
    create table carried_counts (
      campaign_id integer not null,
      line_item_id integer not null,
      day date not null,
      publisher_id integer not null,
      impressions bigint not null default 0,
      clicks bigint not null default 0,
      spend_micros bigint not null default 0,
      primary key (campaign_id, line_item_id, day)
    );
  `);
}

export async function down(knex) {
  await knex.raw('drop table carried_counts, open_holds, ledger_replicas, ledger_epochs');
}
