import type { Knex } from 'knex';

/** A day of a hundred million rows is read in some minutes. Compiling a statement of a second takes longer than it saves. */
const PREPARE = `set local statement_timeout = '30min'; set local work_mem = '64MB'; set local jit = off`;

/**
 * Runs work that reads all event rows of a day. Rejects when Postgres is unavailable, or when the work is stopped.
 *
 * @param trx in which `work` reads
 * @param stopping when it is aborted, Postgres ends what it runs for `trx`
 */
export const readWholeDay = async <T>(
  knex: Knex,
  trx: Knex.Transaction,
  stopping: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  stopping?.throwIfAborted();
  await trx.raw(PREPARE);
  if (stopping === undefined) return work();
  const { rows } = await trx.raw<{ rows: [{ pid: number }] }>('select pg_backend_pid() as pid');
  const cancelled: Promise<unknown>[] = [];
  const cancel = (): void => void cancelled.push(knex.raw('select pg_cancel_backend(?)', [rows[0].pid]).catch(() => undefined));
  stopping.addEventListener('abort', cancel);
  try {
    return await work();
  } finally {
    stopping.removeEventListener('abort', cancel);
    // Before the connection runs something else.
    await Promise.all(cancelled);
  }
};
