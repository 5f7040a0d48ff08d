import type { CopyStrategy } from '../../testkit/databases.ts';

/** The stores of the global setup, passed to the test workers through the environment. */
export interface StoresOfThisRun {
  /** A Postgres whose account may create databases, without a database name. */
  readonly postgresUrl: string;
  /** The migrated database that every test database is a copy of. */
  readonly template: string;
  /** How a test database is copied: the files where Postgres syncs none of them. */
  readonly strategy: CopyStrategy;
  /** Starts the name of every database of this run, so that two runs can share one server. */
  readonly prefix: string;
  /** One Redis per worker, in the order of their numbers. */
  readonly redisUrls: readonly string[];
}

const VARIABLE = 'AD_SERVER_TEST_STORES';
const NO_STORES = 'none';

export function publishStores(stores: StoresOfThisRun): void {
  process.env[VARIABLE] = JSON.stringify(stores);
}

/** Whether no test of this run needs them (scripts/needs-of-tests.mjs). */
export function runsWithoutStores(): boolean {
  return process.env[VARIABLE] === NO_STORES;
}

export function storesOfThisRun(): StoresOfThisRun {
  const stores = process.env[VARIABLE];
  if (stores === undefined || stores === NO_STORES)
    throw new Error('The stores are started by tests/setup/global-setup.ts: run jest with the configuration of the project.');
  return JSON.parse(stores) as StoresOfThisRun;
}

/** From 1 up to jest's number of workers. */
export function workerNumber(): number {
  return Number(process.env['JEST_WORKER_ID'] ?? '1');
}
