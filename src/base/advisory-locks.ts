import type { Knex } from 'knex';

/**
 * The numbers of all advisory locks in the database: those that are equal wait for each other, whatever they guard. A number that is changed
 * guards nothing between the replicas of two releases. Where there is a lock for each of many, the number has 32 bits.
 */
export const ADVISORY_LOCKS = {
  /** One process migrates. */
  migration: 7_240_117_001,
  /** Shared by writers of event rows; who creates or drops partitions has it alone. */
  partitions: 7_240_117_002,
  /** Differences between counts and event rows are written by one. */
  comparison: 7_240_117_004,
  /** One process reconciles. */
  reconciliation: 7_240_117_005,
  /** Serves are written by one. */
  serves: 7_240_117_006,
  /** Rows are counted by one transaction at a time. */
  counting: 7_240_117_007,
  /** The last administrator cannot be lost twice. */
  people: 7_240_117_008,
  /** API tokens are created one after the other. */
  tokens: 7_240_117_009,
  /** Of all replicas one fills the gaps of sinks. */
  gaps: 7_240_117_041,
  /** Of a person: one report at a time. */
  report: 7_240_117,
  /** Of a shard: its hits are folded by one. */
  fold: 7_240_118,
  /** Of a scope: its epoch is changed by one. */
  epoch: 7_240_119,
  /** Of a scope: it is rebuilt by one. */
  rebuild: 7_240_120,
  /** Of a publisher: one month is closed at a time. */
  close: 7_240_121,
} as const satisfies Readonly<Record<string, number>>;

type Lock = keyof typeof ADVISORY_LOCKS;

const take = async (trx: Knex, by: string, lock: Lock, of: number | string | undefined): Promise<unknown> => {
  const which = of === undefined ? '' : typeof of === 'string' ? ', hashtext(?)' : ', ?';
  const { rows } = await trx.raw<{ rows: { taken: unknown }[] }>(`select ${by}(?${which}) as taken`, [
    ADVISORY_LOCKS[lock],
    ...(of === undefined ? [] : [of]),
  ]);
  return rows[0]?.taken;
};

/** Waits for a lock, and holds it until the end of the transaction. */
export const holdLock = async (trx: Knex, lock: Lock, of?: number | string): Promise<void> => {
  await take(trx, 'pg_advisory_xact_lock', lock, of);
};

/** The same, beside others that share it. */
export const shareLock = async (trx: Knex, lock: Lock): Promise<void> => {
  await take(trx, 'pg_advisory_xact_lock_shared', lock, undefined);
};

/** Holds a lock until the end of the transaction. Resolves to false when another transaction has it. */
export const tryLock = async (trx: Knex, lock: Lock, of?: number | string): Promise<boolean> =>
  (await take(trx, 'pg_try_advisory_xact_lock', lock, of)) === true;
