import { createDatabase, dropDatabases } from '../../testkit/databases.ts';
import { storesOfThisRun, workerNumber } from './stores-of-this-run.ts';

/** Jest loads modules separately for every test file, so these live as long as one file. */
let made = 0;
let cleared: Promise<void> | undefined;

/**
 * A fresh, migrated database for the calling test file; call again for another one. It is dropped when this worker's next file requests one,
 * so a file need not have closed its connections first.
 * @returns a postgres:// URL
 */
export async function testDatabase(): Promise<string> {
  const { postgresUrl, template, strategy, prefix } = storesOfThisRun();
  const ofThisWorker = `${prefix}w${workerNumber()}_`;
  cleared ??= dropDatabases(postgresUrl, ofThisWorker);
  await cleared;
  return createDatabase(postgresUrl, `${ofThisWorker}${++made}`, template, strategy);
}
