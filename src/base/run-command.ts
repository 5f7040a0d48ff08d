import { asError } from './narrow.ts';
import { dateOfDay, dayOf } from './utc-day.ts';

/** Runs a command of an operator: what it throws is said on standard error, and the exit code is 1. */
export const runCommand = (main: () => Promise<void>): void => {
  main().catch((fault: unknown) => {
    process.stderr.write(`${asError(fault).message}\n`);
    process.exit(1);
  });
};

/** The day of an option, in days since 1970-01-01. @throws when it is not a date */
export const dayNamed = (option: string, date = ''): number => {
  const day = dayOf(Date.parse(`${date}T00:00:00Z`));
  if (Number.isNaN(day) || dateOfDay(day) !== date) throw new Error(`${option} must be a date such as 2026-11-20.`);
  return day;
};
