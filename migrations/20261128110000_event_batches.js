/**
 * Event rows are stored first and counted later, many at a time (docs/adr/0022-rows-first.md).
 *
 * - event_batches: the batches of event rows that are in no count yet. A batch is written in the transaction that stores its
 *   rows, and deleted in the one that counts them. `days`: the days (partitions) of its rows.
 *   `retry_at`: Postgres refused to count it, and it is tried again then.
 * - events.batch: 0: counted when it was stored. The index finds the rows of a batch: rows of a partition are in the order of
 *   their batches. ONLY and the loop: of existing partitions those that still take rows.
 * - events.hold_end: of an impression, the hold that it settles (open_holds), epoch ms; null: none, or settled when it was stored.
 * - ledger_replicas.counts_later: false: a replica of the release before, which expects that every row is counted.
 *
 * Rows of counts that are updated again and again leave room for that in their page (fillfactor), so that an update touches no index.
 */
export async function up(knex) {
  await knex.raw(`
    create table event_batches (
      batch bigint generated always as identity primary key,
      days date[] not null,
      rows integer not null,
      stored_at timestamptz not null default now(),
      retry_at timestamptz null
    );
    alter table events add batch bigint not null default 0, add hold_end bigint null;
    create index events_batch on only events using brin (batch) with (pages_per_range = 32, autosummarize = on);
    alter table ledger_replicas add counts_later boolean not null default false;
  `);
  const { rows } = await knex.raw(`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass and c.relname >= 'events_' || to_char(current_date - 2, 'YYYYMMDD')`);
  for (const { name } of rows) await knex.raw(`create index on ${name} using brin (batch) with (pages_per_range = 32, autosummarize = on)`);
  for (const table of COUNTS) await knex.raw(`alter table ${table} set (fillfactor = 80)`);
}

const COUNTS = [
  ...['daily_counts', 'event_counts', 'filtered_counts', 'hourly_counts'],
  ...['report_days', 'report_hours', 'report_countries', 'report_places', 'report_devices', 'play_days', 'play_hours'],
];

/** Rows that are in no count yet are counted by the comparison of the release before. */
export async function down(knex) {
  for (const table of COUNTS) await knex.raw(`alter table ${table} reset (fillfactor)`);
  await knex.raw(`
    alter table ledger_replicas drop counts_later;
    drop index events_batch;
    alter table events drop batch, drop hold_end;
    drop table event_batches;
  `);
}
