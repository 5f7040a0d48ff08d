import type { Knex } from 'knex';
import { holdLock, tryLock } from '../../base/advisory-locks.ts';

/**
 * Daily, event and hourly counts are compared with event rows, accounts in Redis with daily counts.
 */
export type Books = 'counts' | 'accounts';

/** What the last complete comparison found, by any replica. */
export interface Reconciliation {
  readonly differences: number;
  /** Since it ended; undefined: there was none yet. */
  readonly ageSeconds: number | undefined;
}

/** Postgres ends a transaction in which nothing happens for half a minute. */
const BEAT_MS = 10_000;

/**
 * Runs `work` while this process alone reconciles. `work` gets a check that rejects when the lock is
 * lost. With `wait: false`, it does nothing while another process reconciles.
 */
export const underReconcileLock = (
  knex: Knex,
  { wait, beatMs = BEAT_MS }: { readonly wait: boolean; readonly beatMs?: number },
  work: (checkLock: () => Promise<void>) => Promise<void>,
): Promise<void> =>
  knex.transaction(async (trx) => {
    if (wait) await holdLock(trx, 'reconciliation');
    else if (!(await tryLock(trx, 'reconciliation'))) return;
    const check = async (): Promise<void> => void (await trx.raw('select 1'));
    // While one step of the work takes longer. What fails here fails for the work, too.
    const beat = setInterval(() => void check().catch(() => clearInterval(beat)), beatMs);
    try {
      await work(check);
    } finally {
      clearInterval(beat);
    }
  });

export const writeReconciliation = async (knex: Knex, books: Books, differences: number): Promise<void> => {
  const drifted = differences > 0 ? { drifted: differences, drifted_at: knex.fn.now() } : {};
  await knex('reconciliation')
    .insert({ scope: books, compared_at: knex.fn.now(), differences, ...drifted })
    .onConflict('scope')
    .merge();
};

/** Whether a round of the comparison may begin. Rejects when Postgres is unavailable. */
export const isRoundDue = async (knex: Knex): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: { due: boolean }[] }>(
    'select not exists (select from reconciliation where next_at > clock_timestamp()) as due',
  );
  return rows[0]?.due === true;
};

/** No replica begins another round before `restMs` have passed. */
export const restAfterRound = async (knex: Knex, restMs: number): Promise<void> => {
  await knex.raw('update reconciliation set next_at = clock_timestamp() + make_interval(secs => ?::float8 / 1000)', [restMs]);
};

export const readReconciliation = async (knex: Knex, books: Books): Promise<Reconciliation> => {
  const { rows } = await knex.raw<{ rows: { differences: number; age: number }[] }>(
    'select differences, extract(epoch from now() - compared_at)::float8 as age from reconciliation where scope = ?',
    [books],
  );
  return { differences: rows[0]?.differences ?? 0, ageSeconds: rows[0]?.age };
};
