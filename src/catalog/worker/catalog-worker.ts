import os from 'node:os';
import v8 from 'node:v8';
import vm from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { asError } from '../../base/narrow.ts';
import { connectPostgres } from '../../base/connect-postgres.ts';
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
/** A load of a few hundred line items leaves less. */
const MIN_GARBAGE_BYTES = 8 * 1024 * 1024;

// On Linux the priority is that of the thread: on a busy core the thread that serves ads goes first.
// Not the lowest, with which a load would take minutes on a core that is always busy.
if (process.platform === 'linux') os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);

const { databaseUrl, dimensions } = workerData as CatalogWorkerData;
const knex = connectPostgres({
  connection: {
    connectionString: databaseUrl,
    application_name: 'ad-server catalog',
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    keepAlive: true,
  },
  max: 1,
  waitMs: CONNECT_MS,
});
const loader = createCatalogLoader({ store: createCatalogStore({ knex }), dimensions });

v8.setFlagsFromString('--expose-gc');
const collectNow = vm.runInNewContext('gc') as () => void;
let keptBytes = 0;

/**
 * Returns the memory of the rows that were read, once a load has left as much as that is worth. Left alone, V8 keeps up to 150 MB of it
 * until the next load; collecting takes 30 ms of this thread and none of the one that serves. The second time V8 also moves what is left
 * together, which returns another 6 MB.
 */
const collectGarbage = (): void => {
  if (v8.getHeapStatistics().used_heap_size < keptBytes + MIN_GARBAGE_BYTES) return;
  collectNow();
  collectNow();
  keptBytes = v8.getHeapStatistics().used_heap_size;
};

const buffersOf = ({ slots }: CatalogUpdate): readonly ArrayBuffer[] =>
  slots.flatMap(({ parts }) => [parts?.direct, parts?.programmatic, parts?.leftOut].filter((buffer) => buffer !== undefined));

parentPort?.on('message', (nowMs: number) => {
  const answer = (given: CatalogWorkerAnswer, transferred: readonly ArrayBuffer[] = []): void =>
    parentPort?.postMessage(given, transferred);
  loader
    .load(nowMs)
    .then(
      (update) => answer({ update }, buffersOf(update)),
      // A copy of the message only: an error of Postgres may hold what cannot be sent.
      (fault: unknown) => answer({ error: new Error(asError(fault).message) }),
    )
    .finally(collectGarbage);
});
