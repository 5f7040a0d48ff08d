import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import knexFactory from 'knex';
import { asError } from '../../base/narrow.ts';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { createCatalogStore } from '../postgres/catalog-store.ts';
import type { CatalogUpdate } from '../snapshot/catalog-update.ts';
import { createCatalogLoader } from './catalog-loader.ts';

/*
 * The worker thread that loads the catalog, so that reading, checking and building hold no request.
 * Each message is the time of a load; the answer to it is its update or its error.
 */

export interface CatalogWorkerData {
  readonly databaseUrl: string;
  readonly dimensions: DimensionSchema;
}

export type CatalogWorkerAnswer = { readonly update: CatalogUpdate } | { readonly error: Error };

const CONNECT_MS = 5_000;
const STATEMENT_MS = 60_000;

// On Linux the priority is that of the thread: on a busy core the thread that serves ads goes first.
if (process.platform === 'linux') os.setPriority(os.constants.priority.PRIORITY_LOW);

const { databaseUrl, dimensions } = workerData as CatalogWorkerData;
const knex = knexFactory({
  client: 'pg',
  connection: {
    connectionString: databaseUrl,
    application_name: 'ad-server catalog',
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  },
  pool: { min: 0, max: 1 },
  acquireConnectionTimeout: CONNECT_MS,
});
const loader = createCatalogLoader({ store: createCatalogStore({ knex }), dimensions });

parentPort?.on('message', (nowMs: number) => {
  const answer = (given: CatalogWorkerAnswer): void => parentPort?.postMessage(given);
  loader.load(nowMs).then(
    (update) => answer({ update }),
    // A copy of the message only: an error of Postgres may hold what cannot be sent.
    (fault: unknown) => answer({ error: new Error(asError(fault).message) }),
  );
});
