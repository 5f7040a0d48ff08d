import type { Knex } from 'knex';
import { holdLock, shareLock } from '../../base/advisory-locks.ts';
import { dateOfDay } from '../../base/utc-day.ts';

/** The tables with a partition for each day: event rows, and the signals of their senders. */
export const EVENT_TABLES = ['events', 'event_signals'] as const;
export type EventTable = (typeof EVENT_TABLES)[number];

const UNDEFINED_TABLE = '42P01';
const CHECK_VIOLATION = '23514';

/** The partition of a date. */
export const partitionOf = (date: string, table: EventTable = 'events'): string => `${table}_${date.replaceAll('-', '')}`;

/** Holds all partitions in place until the end of the transaction: they are neither created nor dropped. */
export const holdAllPartitions = (trx: Knex.Transaction): Promise<void> => shareLock(trx, 'partitions');

/** The same. Resolves to the days, of those given, that have no partition of events. */
export const holdPartitions = async (trx: Knex.Transaction, days: readonly number[]): Promise<readonly number[]> => {
  await holdAllPartitions(trx);
  // Not to_regclass: it may answer from a cache that is older than the lock.
  const names = await partitionsOf(trx);
  return days.filter((day) => !names.includes(partitionOf(dateOfDay(day))));
};

/** The same, and no other transaction holds them: no event row is stored meanwhile. */
export const holdPartitionsAlone = (trx: Knex.Transaction): Promise<void> => holdLock(trx, 'partitions');

/** Keeps the partition of one day alone until the end of the transaction; others are created and dropped meanwhile. Resolves to whether there is one. */
export const holdPartition = async (trx: Knex.Transaction, day: number): Promise<boolean> => {
  try {
    await trx.transaction((savepoint) => savepoint.raw('lock table ?? in access share mode', [partitionOf(dateOfDay(day))]));
    return true;
  } catch (fault) {
    if ((fault as { readonly code?: unknown }).code === UNDEFINED_TABLE) return false;
    throw fault;
  }
};

/** Whether rows were refused because their day has no partition: the violation of a check that no constraint makes. */
export const lacksPartition = (fault: unknown): boolean => {
  const { code, constraint } = fault as { readonly code?: unknown; readonly constraint?: unknown };
  return code === CHECK_VIOLATION && constraint === undefined;
};

/** The names of the partitions of all days, oldest first. */
export const partitionsOf = async (knex: Knex, table: EventTable = 'events'): Promise<readonly string[]> => {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ?::regclass order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
};

/** Creates the partitions of these days that are missing, and keeps them until the end of the transaction. */
export const createPartitions = async (trx: Knex.Transaction, days: readonly number[]): Promise<void> => {
  await holdPartitionsAlone(trx);
  for (const day of days) {
    const [from, to] = [dateOfDay(day), dateOfDay(day + 1)];
    for (const table of EVENT_TABLES) {
      const name = partitionOf(from, table);
      await trx.raw(`create table if not exists ${name} partition of ${table} for values from ('${from}') to ('${to}')`);
    }
  }
};

/** The names of the partitions of days before `beforeDay`. */
export const expiredPartitions = async (knex: Knex, table: EventTable, beforeDay: number): Promise<readonly string[]> => {
  const oldest = partitionOf(dateOfDay(beforeDay), table);
  return (await partitionsOf(knex, table)).filter((name) => name < oldest);
};

/** Drops the partitions of days before `beforeDay`. Resolves to their names. */
export const dropPartitions = async (trx: Knex.Transaction, table: EventTable, beforeDay: number): Promise<readonly string[]> => {
  await holdPartitionsAlone(trx);
  const expired = await expiredPartitions(trx, table, beforeDay);
  for (const name of expired) await trx.raw('drop table ??', [name]);
  return expired;
};
