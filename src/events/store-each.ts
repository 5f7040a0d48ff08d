import { divideRefused } from './divide-refused.ts';

/** Why Postgres refused one item for good. */
export interface Refusal {
  readonly sqlState: string;
  readonly reason: string;
}

/**
 * SQLSTATE classes of faults that do not lie in the row: they pass when the store, the network or
 * the deployment is in order again. All other classes are lasting: the same row would be refused
 * again, such as 21 (cardinality), 22 (data), 23 (integrity), 54 (an index entry that is too large).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const PASSING_CLASSES = new Set([
  '08', // connection
  '0A', // feature not supported: a cached plan whose table has changed
  '25', // transaction state: the server has become read-only
  '28', // authorization
  '3D', // the database does not exist
  '3F', // the schema does not exist
  '40', // transaction rollback: deadlock
  '42', // undefined tables and columns, missing privileges: not migrated
  '53', // insufficient resources: disk, memory, connections
  '55', // object not in prerequisite state: lock not available
  '57', // operator intervention: shutdown, statement timeout
  '58', // system error
  'XX', // internal error
]);

/**
 * The refusal in what a query rejected with; undefined when the fault passes. Node's network errors
 * (`ECONNREFUSED`) have codes of another form.
 */
export const lastingRefusal = (fault: unknown): Refusal | undefined => {
  const { code, message } = fault as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code)) return undefined;
  return PASSING_CLASSES.has(code.slice(0, 2)) ? undefined : { sqlState: code, reason: withoutStatement(String(message)) };
};

/** Knex puts the statement before the message; of a COPY there is none. */
const withoutStatement = (message: string): string => {
  const at = message.lastIndexOf(' - ');
  return at < 0 ? message : message.slice(at + 3);
};

/** Stores a batch, and divides it where Postgres refuses it for a lasting reason (divide-refused.ts). */
export const storeEach = <T>(
  items: readonly T[],
  store: (items: readonly T[]) => Promise<unknown>,
  onRefused: (item: T, refusal: Refusal) => Promise<void>,
): Promise<void> => divideRefused(items, { write: store, refusalOf: lastingRefusal, onRefused });
