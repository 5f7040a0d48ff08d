import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';

/** A value of a column; null and undefined: none. */
export type CopiedValue = string | number | boolean | null | undefined;

/** What else a column has, COPY does not need. */
export type CopiedColumns<T> = readonly (readonly [name: string, read: (item: T) => CopiedValue, ...unknown[]])[];

/** What the driver `pg` calls for a query of its own making (pg/lib/client.js: `query` of an object with `submit`). */
interface Connection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Characters that the text format of COPY has a meaning for. https://www.postgresql.org/docs/current/sql-copy.html */
const SPECIAL = /[\\\t\n\r]/;
const EACH_SPECIAL = new RegExp(SPECIAL, 'g');
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const textOf = (value: CopiedValue): string => {
  if (typeof value === 'string') return SPECIAL.test(value) ? escaped(value) : value;
  return value === null || value === undefined ? '\\N' : String(value);
};

const escaped = (value: string): string => value.replaceAll(EACH_SPECIAL, (character) => ESCAPED[character]!);

/** Of a thousand rows the text takes 3 ms, in which nothing else would be answered. */
const ROWS_OF_A_TURN = 200;

/** Rows as COPY reads them, some of them in a turn of the event loop. */
const bodiesOf = async <T>(items: readonly T[], columns: CopiedColumns<T>): Promise<readonly Buffer[]> => {
  const bodies: Buffer[] = [];
  for (let from = 0; from < items.length; from += ROWS_OF_A_TURN) {
    if (from > 0) await setImmediate();
    bodies.push(Buffer.from(textOfRows(items.slice(from, from + ROWS_OF_A_TURN), columns)));
  }
  return bodies;
};

/** Without lists of values: they took a third of the time. */
const textOfRows = <T>(items: readonly T[], columns: CopiedColumns<T>): string => {
  let text = '';
  for (const item of items) {
    let before = '';
    for (const [, read] of columns) {
      text += before + textOf(read(item));
      before = '\t';
    }
    text += '\n';
  }
  return text;
};

/**
 * Inserts a row for each item by COPY, which takes Postgres two thirds of the time of an INSERT and four fifths of its log: rows are written
 * by the page. Rejects with the fault of Postgres, such as 23505 when a row is there already; then none is inserted.
 */
export const copyRows = async <T>(trx: Knex.Transaction, table: string, columns: CopiedColumns<T>, items: readonly T[]): Promise<void> => {
  if (items.length === 0) return;
  const bodies = await bodiesOf(items, columns);
  const names = columns.map(([name]) => name).join(', ');
  const connection = (await (trx.client as Knex.Client).acquireConnection()) as { query(query: object): void };
  await new Promise<void>((resolve, reject) => {
    let fault: Error | undefined;
    connection.query({
      submit: (wire: Connection) => wire.query(`copy ${table} (${names}) from stdin`),
      handleCopyInResponse: (wire: Connection) => {
        for (const body of bodies) wire.sendCopyFromChunk(body);
        wire.endCopyFrom();
      },
      handleCommandComplete: () => undefined,
      handleError: (found: Error) => {
        fault = found;
        reject(found);
      },
      handleReadyForQuery: () => {
        if (fault === undefined) resolve();
      },
    });
  });
};
