import type { Knex } from 'knex';
import { arrayLiteral } from './array-literal.ts';
import { countRows } from './count-rows.ts';
import { HOLD_KEY } from './count-tables.ts';
import { countAll, oldestOf, waitToCount, type WaitingRows } from './waiting-rows.ts';

/** A batch whose rows are in no count. */
interface TakenBatch {
  readonly batch: string;
  readonly days: readonly string[];
}

const RETURNING = `returning batch, array(select to_char(day, 'YYYY-MM-DD') from unnest(days) as day) as days`;
const TAKE = `delete from event_batches where batch = any(?::bigint[]) ${RETURNING}`;
const TABLE = { table: 'event_batches', key: 'batch' } as const;
const TAKE_OLDEST = `delete from event_batches where batch in (${oldestOf(TABLE)}) ${RETURNING}`;

// What a row takes from a hold is settled by the transaction that counts it: what is neither counted, nor a row that is not counted yet, nor
// settled is held.
const COUNT = `
  with given as materialized (
    select *, 1 as sign from events where day = :onDay::date and batch = any(:batches::bigint[])
  ), settled as (
    insert into open_holds (${HOLD_KEY}, campaign_id, publisher_id, settled, settled_micros)
    select ${HOLD_KEY}, campaign_id, publisher_id, count(*) filter (where kind = 'impression'), sum(billed_micros)
    from given where hold_end is not null
    group by ${HOLD_KEY}, campaign_id, publisher_id order by ${HOLD_KEY}
    on conflict (${HOLD_KEY}) do update set
      settled = open_holds.settled + excluded.settled, settled_micros = open_holds.settled_micros + excluded.settled_micros
  ), ${countRows('given')}
  select`;

/**
 * SQL: the rows of a batch are found by their BRIN index, which a planner without statistics of a partition that grows by the minute
 * does not choose; and compiling a statement of a second takes longer than it saves.
 */
export const FIND_BATCHES = `set local enable_seqscan = off; set local jit = off; set local work_mem = '64MB'`;
export const BATCHES_FOUND = 'set local enable_seqscan to default; set local jit to default; set local work_mem to default';

// With the last range, which is not full.
const SUMMARIZE = `
  select brin_summarize_new_values(of_day.indexrelid)
  from (select distinct unnest(days) as day from event_batches) waiting
  join pg_index of_day on of_day.indrelid = to_regclass('events_' || to_char(day, 'YYYYMMDD'))
  join pg_inherits part on part.inhrelid = of_day.indexrelid
  where part.inhparent = 'events_batch'::regclass`;

/** Less than Postgres's deadlock_timeout, after which a vacuum that holds the lock would be cancelled. */
const LOCK_TIMEOUT_MS = 50;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Tells the BRIN index which batches are in the pages that were written lately. Postgres does so once a minute, and until then each search
 * reads all of these pages. Nothing is done while a vacuum works on them.
 */
export const findBatchesFast = async (knex: Knex): Promise<void> => {
  try {
    await knex.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await trx.raw(SUMMARIZE);
    });
  } catch (fault) {
    if ((fault as { readonly code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw fault;
  }
};

const count = async (trx: Knex.Transaction, taken: readonly TakenBatch[]): Promise<void> => {
  if (taken.length === 0) return;
  await trx.raw(FIND_BATCHES);
  for (const onDay of [...new Set(taken.flatMap(({ days }) => days))].toSorted()) {
    const batches = taken.filter(({ days }) => days.includes(onDay)).map(({ batch }) => batch);
    await trx.raw(COUNT, { onDay, batches: arrayLiteral(batches) });
  }
  await trx.raw(BATCHES_FOUND);
};

/** Counts the rows of these batches, as far as they are not counted yet, in the transaction. */
export const rollUpBatches = async (trx: Knex.Transaction, batches: readonly string[]): Promise<void> => {
  if (batches.length === 0) return;
  await waitToCount(trx);
  const { rows } = await trx.raw<{ rows: TakenBatch[] }>(TAKE, [arrayLiteral(batches)]);
  await count(trx, rows);
};

/** Batches of event rows that are in no count yet. */
export const EVENT_BATCHES: WaitingRows = {
  ...TABLE,
  prepare: findBatchesFast,
  takeAndCount: async (trx, maxRows) => {
    const { rows } = await trx.raw<{ rows: TakenBatch[] }>(TAKE_OLDEST, [maxRows]);
    await count(trx, rows);
    return rows.length > 0;
  },
};

/** Counts all event rows that were stored before this call, in steps, however many processes count. Rejects when Postgres is unavailable. */
export const rollUpAll = (knex: Knex): Promise<void> => countAll(knex, EVENT_BATCHES);

/** In a transaction: counts everything that is stored. */
export const rollUpWithin = async (trx: Knex.Transaction): Promise<void> => {
  await waitToCount(trx);
  const { rows } = await trx.raw<{ rows: TakenBatch[] }>(`delete from event_batches where retry_at is null ${RETURNING}`);
  await count(trx, rows);
};

/** Until when all hits that were stored are counted. Rejects when Postgres is unavailable. */
export const countedUntil = async (knex: Knex): Promise<Date> => {
  const { rows } = await knex.raw<{ rows: [{ until: Date }] }>('select coalesce(min(stored_at), now()) as until from event_batches');
  return rows[0].until;
};
