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

/** Rows as COPY reads them. */
export const copyText = (rows: readonly (readonly CopiedValue[])[]): string => {
  let text = '';
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) text += (i === 0 ? '' : '\t') + textOf(row[i]);
    text += '\n';
  }
  return text;
};

/**
 * Inserts rows by COPY, which takes Postgres two thirds of the time of an INSERT and four fifths of its log: rows are written by the page.
 * Rejects with the fault of Postgres, such as 23505 when a row is there already; then none is inserted.
 */
export const copyRows = async (trx: Knex.Transaction, into: string, rows: readonly (readonly CopiedValue[])[]): Promise<void> => {
  if (rows.length === 0) return;
  const connection = (await (trx.client as Knex.Client).acquireConnection()) as { query(query: object): void };
  const body = Buffer.from(copyText(rows));
  await new Promise<void>((resolve, reject) => {
    let fault: Error | undefined;
    connection.query({
      submit: (wire: Connection) => wire.query(`copy ${into} from stdin`),
      handleCopyInResponse: (wire: Connection) => {
        wire.sendCopyFromChunk(body);
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
