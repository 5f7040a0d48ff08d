import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';

/** A value of a column; null and undefined: none. */
export type CopiedValue = string | number | boolean | null | undefined;

/** What the driver `pg` calls for a query of its own making (pg/lib/client.js: `query` of an object with `submit`). */
interface Connection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Characters that the text format of COPY has a meaning for. https://www.postgresql.org/docs/current/sql-copy.html */
const SPECIAL = /[\\\t\n\r]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const textOf = (value: CopiedValue): string => {
  if (value === null || value === undefined) return '\\N';
  return typeof value === 'string' ? value.replace(SPECIAL, (character) => ESCAPED[character]!) : String(value);
};

/** Of a thousand rows the text takes 5 ms, in which nothing else would be answered. */
const ROWS_OF_A_TURN = 200;

/** Rows as COPY reads them, some of them in a turn of the event loop. */
const bodiesOf = async <T>(items: readonly T[], rowOf: (item: T) => readonly CopiedValue[]): Promise<readonly Buffer[]> => {
  const bodies: Buffer[] = [];
  for (let from = 0; from < items.length; from += ROWS_OF_A_TURN) {
    if (from > 0) await setImmediate();
    let text = '';
    for (const item of items.slice(from, from + ROWS_OF_A_TURN)) text += `${rowOf(item).map(textOf).join('\t')}\n`;
    bodies.push(Buffer.from(text));
  }
  return bodies;
};

/**
 * Inserts a row for each item by COPY, which takes Postgres two thirds of the time of an INSERT and four fifths of its log: rows are written
 * by the page. Rejects with the fault of Postgres, such as 23505 when a row is there already; then none is inserted.
 */
export const copyRows = async <T>(
  trx: Knex.Transaction,
  into: string,
  items: readonly T[],
  rowOf: (item: T) => readonly CopiedValue[],
): Promise<void> => {
  if (items.length === 0) return;
  const bodies = await bodiesOf(items, rowOf);
  const connection = (await (trx.client as Knex.Client).acquireConnection()) as { query(query: object): void };
  await new Promise<void>((resolve, reject) => {
    let fault: Error | undefined;
    connection.query({
      submit: (wire: Connection) => wire.query(`copy ${into} from stdin`),
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
