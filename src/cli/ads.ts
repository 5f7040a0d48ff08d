#!/usr/bin/env node
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { applyBookings, planBookings, say } from './apply-bookings.ts';
import { createBookingsClient, type Applied, type BookingsClient } from './bookings-client.ts';
import { CliFault } from './cli-fault.ts';
import { giveKeys } from './give-keys.ts';
import { runImport } from './import/run-import.ts';
import { OPTIONS, USAGE, type Values } from './options.ts';
import { readBookings } from './read-bookings.ts';

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
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
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
