import type { Knex } from 'knex';
import { holdLock, tryLock } from '../../base/advisory-locks.ts';
import { lastingRefusal } from '../store-each.ts';

/** What is stored and in no count yet: a table whose entries have `rows`, `stored_at` and `retry_at`, by an ascending key. */
export interface WaitingRows {
  readonly table: string;
  readonly key: string;
  /** Called before each transaction that counts. */
  prepare?(knex: Knex): Promise<void>;
  /**
   * Takes the oldest entries with about so many rows, at least one entry if there is one, adds their rows to all counts, and resolves to whether
   * there was one. In a transaction that counts alone.
   */
  takeAndCount(trx: Knex.Transaction, maxRows: number): Promise<boolean>;
}

/** Rows that one transaction counts, about: some seconds. */
const MAX_ROWS = 100_000;

/** SQL: an entry is not set aside. */
export const IS_DUE = `coalesce(retry_at, '-infinity') < now()`;

/** SQL: the keys of the oldest entries with about so many rows. One binding: how many. */
export const oldestOf = ({ table, key }: Pick<WaitingRows, 'table' | 'key'>): string => `
  select ${key} from (
    select ${key}, sum(rows) over (order by ${key}) - rows as before from ${table} where ${IS_DUE}
  ) ordered where before < ?`;

/** Waits until no other transaction counts, and counts alone until this one ends. */
export const waitToCount = (trx: Knex): Promise<void> => holdLock(trx, 'counting');

/** Runs `work` unless another transaction counts; resolves to undefined then. */
const alone = <T>(knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T | undefined> =>
  knex.transaction(async (trx) => ((await tryLock(trx, 'counting')) ? work(trx) : undefined));

/** The entry that `takeAndCount` takes alone when it takes one. */
const setAside = (trx: Knex, { table, key }: WaitingRows): Promise<unknown> =>
  Promise.resolve(
    trx.raw(
      `update ${table} set retry_at = now() + interval '10 minutes' where ${key} = (select min(${key}) from ${table} where ${IS_DUE})`,
    ),
  );

/**
 * Counts the oldest rows that are not counted yet. Resolves to whether there may be more; undefined: another transaction is counting.
 *
 * When Postgres refuses that for a lasting reason, the entries are counted one by one, and the one that it refuses is set aside: it is in no
 * report until it is counted, and keeps no other from that. Then it rejects with the refusal.
 */
export const countOldest = async (knex: Knex, waiting: WaitingRows): Promise<boolean | undefined> => {
  await waiting.prepare?.(knex);
  try {
    return await alone(knex, (trx) => waiting.takeAndCount(trx, MAX_ROWS));
  } catch (fault) {
    if (lastingRefusal(fault) === undefined) throw fault;
  }
  for (;;) {
    try {
      const more = await alone(knex, (trx) => waiting.takeAndCount(trx, 1));
      if (more !== true) return more;
    } catch (fault) {
      if (lastingRefusal(fault) === undefined) throw fault;
      await alone(knex, (trx) => setAside(trx, waiting));
      throw fault;
    }
  }
};

/**
 * Counts all rows that were stored before this call, in steps. While another process counts, it waits for that. Rejects when Postgres is
 * unavailable.
 */
export const countAll = async (knex: Knex, waiting: WaitingRows): Promise<void> => {
  for (;;) {
    const more = await countOldest(knex, waiting);
    if (more === false) return;
    if (more === undefined) await knex.transaction(waitToCount);
  }
};

/**
 * The same when so many rows wait that they are better counted than read: to read one takes as long as to count it, and what is read fills
 * memory. Rejects when Postgres is unavailable.
 */
export const countMany = async (knex: Knex, waiting: WaitingRows, many: number): Promise<void> => {
  const { rows } = await knex.raw<{ rows: { many: boolean }[] }>(
    `select coalesce(sum(rows), 0) >= ? as many from ${waiting.table} where ${IS_DUE}`,
    [many],
  );
  if (rows[0]?.many === true) await countAll(knex, waiting);
};

/**
 * In how many ms the oldest entry of each has waited for `everyMs`; 0: it has. Where none waits, what comes is not due before `everyMs`. Rejects
 * when Postgres is unavailable.
 */
const dueInMs = async (knex: Knex, waiting: readonly WaitingRows[], everyMs: number): Promise<readonly number[]> => {
  const ages = waiting.map(
    ({ table, key }) =>
      `(select extract(epoch from clock_timestamp() - stored_at)::float8 * 1000 from ${table} where ${IS_DUE} order by ${key} limit 1)`,
  );
  const { rows } = await knex.raw<{ rows: { ages: (number | null)[] }[] }>(`select array[${ages.join(', ')}] as ages`);
  return rows[0]!.ages.map((age) => Math.max(everyMs - (age ?? 0), 0));
};

/** Counts all rows that were stored before this call, in steps, unless another process counts. Rejects when Postgres is unavailable. */
const countUnlessCounted = async (knex: Knex, waiting: WaitingRows): Promise<void> => {
  while ((await countOldest(knex, waiting)) === true);
};

/**
 * Counts those whose oldest entry has waited for `everyMs`, unless another process counts. Resolves to in how many ms the next are due; 0: some
 * were. Rejects when Postgres is unavailable.
 *
 * @param onFailure called for each of them that could not be counted
 */
export const countDue = async (
  knex: Knex,
  waiting: readonly WaitingRows[],
  everyMs: number,
  onFailure: (fault: Error) => void,
): Promise<number> => {
  const due = await dueInMs(knex, waiting, everyMs);
  for (const [i, one] of waiting.entries()) if (due[i] === 0) await countUnlessCounted(knex, one).catch(onFailure);
  return Math.min(...due);
};
