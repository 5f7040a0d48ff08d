#!/usr/bin/env node
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { createBookingsClient, type Applied, type BookingsClient } from './bookings-client.ts';
import { CliFault } from './cli-fault.ts';
import { giveKeys } from './give-keys.ts';
import { noteOfCommit } from './note-of-commit.ts';
import { describePlan } from './describe-plan.ts';
import { readBookings, type BookingLines } from './read-bookings.ts';

const USAGE = `Bookings in files.

  ads pull  --publisher ID [--output FILE] [--keys]   writes the bookings of a publisher to a file
  ads plan  FILE…                                     says what applying the files would change
  ads apply FILE… [--yes]                             shows the plan, asks, and applies it
  ads diff  FILE…                                     says what differs from the files; exit code 1 if anything does

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
} as const;

const parsed = () => parseArgs({ options, allowPositionals: true });
type Values = ReturnType<typeof parsed>['values'];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const pull = async (client: BookingsClient, { publisher, output, keys }: Values): Promise<number> => {
  if (publisher === undefined) throw new CliFault('ads pull needs --publisher ID', 2);
  const text = await client.pull(publisher);
  const written = keys ? giveKeys(text) : text;
  if (output === undefined) process.stdout.write(written);
  else await writeFile(output, written);
  return 0;
};

const planned = async (client: BookingsClient, files: BookingLines, values: Values, isDiff = false): Promise<Applied> => {
  const plan = await client.apply(files, { ...values, isDryRun: true });
  if (values.json) say(JSON.stringify(plan, undefined, 2));
  else say(describePlan(plan, { isDiff, isColoured: process.stdout.isTTY, nowMs: Date.now() }));
  return plan;
};

const differs = ({ changes, undeclared }: Applied): boolean => changes.length + undeclared.length > 0;

const apply = async (client: BookingsClient, files: BookingLines, values: Values): Promise<number> => {
  const plan = await planned(client, files, { ...values, json: false });
  if (plan.changes.length === 0) return 0;
  if (!values.yes && !(await isConfirmed())) {
    say('Nothing was changed.');
    return 1;
  }
  const note = values.note ?? (await noteOfCommit(process.env, process.cwd()));
  const applied = await client.apply(files, { ...values, isDryRun: false, ifState: plan.state, note });
  say(values.json ? JSON.stringify(applied, undefined, 2) : `Applied: ${applied.changes.length} changes.`);
  if (applied.api_key !== undefined && !values.json) say(`API key of the new publisher, shown this once: ${applied.api_key}`);
  return 0;
};

const isConfirmed = async (): Promise<boolean> => {
  if (!process.stdin.isTTY) throw new CliFault('There is no one to ask: apply with --yes', 2);
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await ask.question('Apply? [y/N] ')).trim());
  } finally {
    ask.close();
  }
};

const main = async (): Promise<number> => {
  const { values, positionals } = parsed();
  const [command, ...names] = positionals;
  if (values.help || command === undefined) {
    say(USAGE);
    return command === undefined && !values.help ? 2 : 0;
  }
  if (!['pull', 'plan', 'apply', 'diff'].includes(command)) throw new CliFault(`There is no command ${command}: see ads --help`, 2);
  const client = createBookingsClient(process.env);
  if (command === 'pull') return pull(client, values);
  if (names.length === 0) throw new CliFault(`ads ${command} needs files: see ads --help`, 2);
  const files = await readBookings(names, process.env);
  if (command === 'apply') return apply(client, files, values);
  const plan = await planned(client, files, values, command === 'diff');
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
