import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { applyBookings, isConfirmed, planBookings, say } from '../apply-bookings.ts';
import type { Applied, BookingsClient } from '../bookings-client.ts';
import { CliFault } from '../cli-fault.ts';
import { readBookings } from '../read-bookings.ts';
import { ImportFault } from '../../imports/import-fault.ts';
import { FILE_PATHS, type Imported } from '../../imports/imported.ts';
import { reportAsJson, reportAsMarkdown } from '../../imports/import-report.ts';
import { sheetTemplate } from '../../imports/sheet/sheet-columns.ts';
import { readGamSource } from './read-gam-source.ts';
import type { Values } from '../options.ts';
import { readReviveSource } from './read-revive-source.ts';
import { readSheetSource } from './read-sheet-source.ts';

/** Reads a source whole, or throws a CliFault: nothing is written before. */
type ReadSource = (values: Values, names: readonly string[], client: BookingsClient) => Promise<Imported>;

const SOURCES: Readonly<Record<string, ReadSource>> = { revive: readReviveSource, csv: readSheetSource, gam: readGamSource };

/** Of a file that is stored when the bookings are applied. */
const NOT_STORED = 'https://not-stored-yet.invalid/';

/** ads import: reads a foreign source, writes the bookings file and the report, and applies it. @returns the exit code */
export const runImport = async (client: BookingsClient, names: readonly string[], values: Values): Promise<number> => {
  const [source = '', ...files] = names;
  const read = SOURCES[source];
  if (!read) throw new CliFault(`ads import needs a source: ${Object.keys(SOURCES).join(', ')}`, 2);
  if (values.template) {
    if (source !== 'csv') throw new CliFault('--template is of ads import csv', 2);
    if (values.output === undefined) process.stdout.write(sheetTemplate());
    else await writeFile(values.output, sheetTemplate());
    return 0;
  }
  const imported = await read(values, files, client).catch((fault: unknown) => {
    if (!(fault instanceof ImportFault)) throw fault;
    throw fault.option === undefined ? new CliFault(fault.message) : new CliFault(`${fault.message}. Say it with --${fault.option}`, 2);
  });
  const [output, report] = [values.output ?? `${source}.yaml`, values.report ?? `${source}-report.md`];
  await writeFile(report, report.endsWith('.json') ? reportAsJson(imported) : reportAsMarkdown(imported));
  const stored = new Map(imported.files.size > 0 ? await client.storedFiles() : []);
  await writeBookings(output, imported, stored);
  const { notes } = imported;
  const count = (level: string): number => notes.filter((note) => note.level === level).length;
  say(
    `${output} has the bookings, ${report} what is different: ${count('left_out')} left out, ${count('paused')} paused, ${count('changed')} changed.`,
  );
  const missing = [...imported.files.values()].filter(({ sha256 }) => !stored.has(sha256));
  if (missing.length > 0) say(`${missing.length} files are not stored yet.`);
  const lines = await readBookings([output], process.env);
  const { history = [] } = imported;
  /** After the bookings, whose creatives it is of: what is lost on the way comes with the next run. */
  const keepHistory = async ({ publisher_id: publisher }: Applied): Promise<void> => {
    if (publisher === null || history.length === 0) return;
    say(`Days of history kept: ${await client.keepHistory(publisher, source, history)}.`);
  };
  if (values['dry-run'] || missing.length === 0) {
    if (!values['dry-run']) return applyBookings(client, lines, values, keepHistory);
    await planBookings(client, lines, values);
    if (history.length > 0) say(`Days of history to keep: ${history.length}.`);
    return 0;
  }
  // The bookings are refused before a file is stored for them, not after.
  const plan = await planBookings(client, lines, { ...values, json: false });
  if (!values.yes && !(await isConfirmed())) {
    say('Nothing was changed.');
    return 1;
  }
  for (const file of missing) stored.set(file.sha256, await client.store(file, plan.publisher_id));
  await writeBookings(output, imported, stored);
  return applyBookings(client, await readBookings([output], process.env), { ...values, yes: true }, keepHistory);
};

const writeBookings = async (output: string, { bookings, files }: Imported, stored: ReadonlyMap<string, string>): Promise<void> => {
  const text = stringify({ version: 1, ...bookings }, { lineWidth: 0, aliasDuplicateObjects: false });
  const pathOf = (sha256: string): string =>
    stored.get(sha256) ?? `${NOT_STORED}${sha256}/${encodeURIComponent(files.get(sha256)?.name ?? '')}`;
  await writeFile(
    output,
    text.replaceAll(FILE_PATHS, (_, sha256: string) => pathOf(sha256)),
  );
};
