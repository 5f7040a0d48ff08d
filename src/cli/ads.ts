#!/usr/bin/env node
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { applyBookings, planBookings, say } from './apply-bookings.ts';
import { createBookingsClient, type Applied, type BookingsClient } from './bookings-client.ts';
import { CliFault } from './cli-fault.ts';
import { giveKeys } from './give-keys.ts';
import { IMPORT_OPTIONS, IMPORT_USAGE } from './import/import-values.ts';
import { runImport } from './import/run-import.ts';
import { readBookings } from './read-bookings.ts';

const USAGE = `Bookings in files.

  ads pull  --publisher ID [--output FILE] [--keys]   writes the bookings of a publisher to a file
  ads plan  FILE…                                     says what applying the files would change
  ads apply FILE… [--yes]                             shows the plan, asks, and applies it
  ads diff  FILE…                                     says what differs from the files; exit code 1 if anything does
${IMPORT_USAGE}
  --publisher ID   whose bookings; by default those of the publisher with the key in the file
  --prune          archives what the files do not have
  --keys           gives each record without a key one, made of its name
  --note TEXT      why, for the history; by default the commit of the working directory
  --json           prints what the service answers

ADS_URL names the service (https://ads.example.com), ADS_TOKEN an API token with the role trafficker or administrator.
In files, !env NAME stands for a variable of the environment, !env NAME=VALUE for one with a default, and !file PATH for the
text of a file. Exit codes: 0 done, 1 refused or different (diff), 2 wrong usage.
`;

const options = {
  publisher: { type: 'string' },
  output: { type: 'string', short: 'o' },
  keys: { type: 'boolean', default: false },
  prune: { type: 'boolean', default: false },
  yes: { type: 'boolean', short: 'y', default: false },
  note: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  ...IMPORT_OPTIONS,
} as const;

const parsed = () => parseArgs({ options, allowPositionals: true });
type Values = ReturnType<typeof parsed>['values'];

const pull = async (client: BookingsClient, { publisher, output, keys }: Values): Promise<number> => {
  if (publisher === undefined) throw new CliFault('ads pull needs --publisher ID', 2);
  const text = await client.pull(publisher);
  const written = keys ? giveKeys(text) : text;
  if (output === undefined) process.stdout.write(written);
  else await writeFile(output, written);
  return 0;
};

const differs = ({ changes, undeclared }: Applied): boolean => changes.length + undeclared.length > 0;

const main = async (): Promise<number> => {
  const { values, positionals } = parsed();
  const [command, ...names] = positionals;
  if (values.help || command === undefined) {
    say(USAGE);
    return command === undefined && !values.help ? 2 : 0;
  }
  if (!['pull', 'plan', 'apply', 'diff', 'import'].includes(command))
    throw new CliFault(`There is no command ${command}: see ads --help`, 2);
  const client = createBookingsClient(process.env);
  if (command === 'pull') return pull(client, values);
  if (command === 'import') return runImport(client, names, values);
  if (names.length === 0) throw new CliFault(`ads ${command} needs files: see ads --help`, 2);
  const files = await readBookings(names, process.env);
  if (command === 'apply') return applyBookings(client, files, values);
  const plan = await planBookings(client, files, values, command === 'diff');
  return command === 'diff' && differs(plan) ? 1 : 0;
};

try {
  process.exitCode = await main();
} catch (fault) {
  const isUsage = fault instanceof TypeError && 'code' in fault && String(fault.code).startsWith('ERR_PARSE_ARGS');
  if (!(fault instanceof CliFault) && !isUsage) throw fault;
  process.stderr.write(`${(fault as Error).message}\n`);
  process.exitCode = fault instanceof CliFault ? fault.exitCode : 2;
}
