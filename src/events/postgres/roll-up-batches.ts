import type { Knex } from 'knex';
import { lastingRefusal } from '../store-each.ts';
import { arrayLiteral } from './array-literal.ts';
import { countRows } from './count-rows.ts';
import { HOLD_KEY } from './count-tables.ts';

/** Any number that no other lock in the database uses: batches are counted by one transaction at a time. */
const ROLL_UP_LOCK = 7_240_117_007;

/** Rows that one transaction counts, about: some seconds. */
const MAX_ROWS = 100_000;

/** A batch whose rows are in no count. */
interface TakenBatch {
  readonly batch: string;
  readonly days: readonly string[];
}

const RETURNING = `returning batch, array(select to_char(day, 'YYYY-MM-DD') from unnest(days) as day) as days`;
const TAKE = `delete from event_batches where batch = any(?::bigint[]) ${RETURNING}`;
const TAKE_OLDEST = `
  delete from event_batches where batch in (
    select batch from (
      select batch, sum(rows) over (order by batch) - rows as before from event_batches where coalesce(retry_at, '-infinity') < now()
    ) ordered where before < ?
  ) ${RETURNING}`;
/** The batch that TAKE_OLDEST takes alone when it takes one. */
const SET_ASIDE = `
  update event_batches set retry_at = now() + interval '10 minutes'
  where batch = (select min(batch) from event_batches where coalesce(retry_at, '-infinity') < now())`;

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
  await trx.raw('select pg_advisory_xact_lock(?)', [ROLL_UP_LOCK]);
  const { rows } = await trx.raw<{ rows: TakenBatch[] }>(TAKE, [arrayLiteral(batches)]);
  await count(trx, rows);
};

/** When the oldest row that is not counted was stored, if there is one. */
const OLDEST = `(select stored_at from event_batches where coalesce(retry_at, '-infinity') < now() order by batch limit 1)`;

/** Runs `work` unless another transaction counts; resolves to undefined then. */
const alone = <T>(knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T | undefined> =>
  knex.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { mine: boolean }[] }>('select pg_try_advisory_xact_lock(?) as mine', [ROLL_UP_LOCK]);
    return rows[0]?.mine === true ? work(trx) : undefined;
  });

/** At least one batch, if there is one. Resolves to whether there was. */
const takeAndCount = async (trx: Knex.Transaction, maxRows: number): Promise<boolean> => {
  const { rows } = await trx.raw<{ rows: TakenBatch[] }>(TAKE_OLDEST, [maxRows]);
  await count(trx, rows);
  return rows.length > 0;
};

/**
 * Counts the oldest rows that are not counted yet. Resolves to whether there may be more; undefined: another transaction is counting.
 *
 * When Postgres refuses that for a lasting reason, the batches are counted one by one, and the one that it refuses is set aside: it is in no
 * report until it is counted, and keeps no other from that. Then it rejects with the refusal.
 */
const rollUpOldest = async (knex: Knex): Promise<boolean | undefined> => {
  try {
    return await alone(knex, (trx) => takeAndCount(trx, MAX_ROWS));
  } catch (fault) {
    if (lastingRefusal(fault) === undefined) throw fault;
  }
  for (;;) {
    try {
      const more = await alone(knex, (trx) => takeAndCount(trx, 1));
      if (more !== true) return more;
    } catch (fault) {
      if (lastingRefusal(fault) === undefined) throw fault;
      await alone(knex, (trx) => trx.raw(SET_ASIDE));
      throw fault;
    }
  }
};

/**
 * Counts all rows that were stored before this call, in steps. While another process counts, it waits for that. Rejects when Postgres is
 * unavailable.
 */
export const rollUpAll = async (knex: Knex): Promise<void> => {
  for (;;) {
    const more = await rollUpOldest(knex);
    if (more === false) return;
    if (more === undefined) await knex.transaction((trx) => trx.raw('select pg_advisory_xact_lock(?)', [ROLL_UP_LOCK]));
  }
};

/** The same when the oldest has waited for `everyMs`, and unless another process counts. */
export const rollUpDue = async (knex: Knex, everyMs: number): Promise<void> => {
  const { rows } = await knex.raw<{ rows: { due: boolean | null }[] }>(
    `select ${OLDEST} <= clock_timestamp() - make_interval(secs => ?::float8 / 1000) as due`,
    [everyMs],
  );
  let more: boolean | undefined = rows[0]?.due === true;
  while (more) more = await rollUpOldest(knex);
};

/** In a transaction: counts everything that is stored. */
export const rollUpWithin = async (trx: Knex.Transaction): Promise<void> => {
  await trx.raw('select pg_advisory_xact_lock(?)', [ROLL_UP_LOCK]);
  const { rows } = await trx.raw<{ rows: TakenBatch[] }>(`delete from event_batches where retry_at is null ${RETURNING}`);
  await count(trx, rows);
};

/** Until when all hits that were stored are counted. Rejects when Postgres is unavailable. */
export const countedUntil = async (knex: Knex): Promise<Date> => {
  const { rows } = await knex.raw<{ rows: [{ until: Date }] }>('select coalesce(min(stored_at), now()) as until from event_batches');
  return rows[0].until;
};
