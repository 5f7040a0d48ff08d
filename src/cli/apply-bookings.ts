import { createInterface } from 'node:readline/promises';
import type { Applied, BookingsClient } from './bookings-client.ts';
import { CliFault } from './cli-fault.ts';
import { describePlan } from './describe-plan.ts';
import { noteOfCommit } from './note-of-commit.ts';
import type { Values } from './options.ts';
import type { BookingLines } from './read-bookings.ts';

export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Says what applying files would change. */
export const planBookings = async (client: BookingsClient, files: BookingLines, values: Values, isDiff = false): Promise<Applied> => {
  const plan = await client.apply(files, { ...values, isDryRun: true });
  if (values.json) say(JSON.stringify(plan, undefined, 2));
  else say(describePlan(plan, { isDiff, isColoured: process.stdout.isTTY, nowMs: Date.now() }));
  return plan;
};

/**
 * Shows the plan, asks, and applies it.
 *
 * @param then is called once the bookings are as the files say, also where they were so before
 * @returns the exit code
 */
export const applyBookings = async (
  client: BookingsClient,
  files: BookingLines,
  values: Values,
  then: (done: Applied) => Promise<void> = () => Promise.resolve(),
): Promise<number> => {
  const plan = await planBookings(client, files, { ...values, json: false });
  if (plan.changes.length === 0) {
    await then(plan);
    return 0;
  }
  if (!values.yes && !(await isConfirmed())) {
    say('Nothing was changed.');
    return 1;
  }
  const note = values.note ?? (await noteOfCommit(process.env, process.cwd()));
  const applied = await client.apply(files, { ...values, isDryRun: false, ifState: plan.state, note });
  say(values.json ? JSON.stringify(applied, undefined, 2) : `Applied: ${applied.changes.length} changes.`);
  if (applied.api_key !== undefined && !values.json) say(`API key of the new publisher, shown this once: ${applied.api_key}`);
  await then(applied);
  return 0;
};

export const isConfirmed = async (): Promise<boolean> => {
  if (!process.stdin.isTTY) throw new CliFault('No terminal to confirm the changes in: add --yes', 2);
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await ask.question('Apply? [y/N] ')).trim());
  } finally {
    ask.close();
  }
};
