import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { dayNamed, runCommand } from '../base/run-command.ts';
import { withDatabase } from '../base/with-database.ts';
import { DEFAULT_EVENT_COLUMNS, EVENT_COLUMN_NAMES, readEventColumns } from '../events/export/event-columns.ts';
import { hasEvents, readEvents, type EventRow } from '../events/export/read-events.ts';
import { EVENT_FORMATS, writeEvents } from '../events/export/write-events.ts';

const OPTIONS = {
  day: { type: 'string' },
  format: { type: 'string', default: 'parquet' },
  publisher: { type: 'string' },
  columns: { type: 'string' },
  out: { type: 'string' },
} as const;

/** A row group of a Parquet file: large ones are read faster. */
const ROWS_AT_ONCE = 50_000;

/**
 * `node dist/commands/export-events.js --day 2026-11-20 [--format parquet|csv] [--publisher ID]
 * [--columns a,b] [--out FILE]`: writes the events of a day to a new file, or to standard output. See
 * docs/reports.md.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { day: date = '', out, publisher } = values;
  const day = dayNamed('--day', date);
  const format = EVENT_FORMATS.find((known) => known === values.format);
  if (!format) throw new Error(`--format must be ${EVENT_FORMATS.join(' or ')}.`);
  const columns = values.columns === undefined ? DEFAULT_EVENT_COLUMNS : readEventColumns(values.columns);
  if (!columns) throw new Error(`--columns must be a list of: ${EVENT_COLUMN_NAMES.join(', ')}.`);
  if (publisher !== undefined && !/^[1-9]\d{0,8}$/.test(publisher)) throw new Error('--publisher must be the id of a publisher.');
  const databaseUrl = process.env['DATABASE_URL']?.trim();
  if (!databaseUrl) throw new Error('DATABASE_URL must name the database to read.');

  let count = 0;
  const counted = async function* (pages: AsyncIterable<readonly EventRow[]>) {
    for await (const page of pages) {
      count += page.length;
      yield page;
    }
  };
  await withDatabase({ connectionString: databaseUrl, application_name: 'ad-server export' }, async (knex) => {
    if (!(await hasEvents(knex, day))) throw new Error(`No events of ${date} are stored: there were none, or EVENT_RETENTION has passed.`);
    const wanted = { day, columns, publisherId: publisher === undefined ? undefined : Number(publisher) };
    const parts = writeEvents(format, columns, counted(readEvents(knex, wanted, ROWS_AT_ONCE)));
    if (out === undefined) await pipeline(parts, process.stdout);
    else await writeNewFile(out, parts);
    process.stderr.write(`${count} events of ${date} were exported\n`);
  });
};

/** A file that could not be written whole is removed; one that exists is left as it is. */
const writeNewFile = async (path: string, parts: AsyncIterable<string | Uint8Array>): Promise<void> => {
  try {
    await pipeline(parts, createWriteStream(path, { flags: 'wx' }));
  } catch (fault) {
    if ((fault as { readonly code?: unknown }).code !== 'EEXIST') await rm(path, { force: true });
    throw fault;
  }
};

runCommand(main);
