import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';
import { asError } from '../../base/narrow.ts';
import type { CatalogUpdate } from '../snapshot/catalog-update.ts';
import type { CatalogLoader } from './catalog-loader.ts';
import type { CatalogWorkerAnswer, CatalogWorkerData } from './catalog-worker.ts';

export interface CatalogWorkerOptions extends CatalogWorkerData {
  /**
   * A load that takes longer counts as failed and ends the worker, so that a hung connection does
   * not stop all reloading.
   */
  readonly loadTimeoutMs?: number;
  /** The worker ended without being told to; the next load starts another. */
  readonly onCrash?: (error: Error) => void;
  /** The compiled module of the worker. */
  readonly file?: URL;
  readonly clock?: () => number;
}

export interface CatalogWorker extends CatalogLoader {
  /** false: the last load ended the worker, by an error of its own or by taking too long. */
  readonly up: boolean;
}

/**
 * V8's limits for the worker's heap, which holds little: what the worker builds lies outside. The old
 * generation may grow to half of its limit before V8 first collects it. A catalog that needs more
 * ends the worker, and the next one may use twice as much.
 */
const MAX_YOUNG_MB = 6;
const MAX_OLD_MB = 128;
const MAX_DOUBLINGS = 5;

/** The wait before a worker that failed is started again doubles from the first to the last value. */
const MIN_BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 30_000;

const WORKER = new URL('./catalog-worker.js', import.meta.url);

/**
 * Loads in a worker thread. It starts with the call, so that its modules are loaded when the first
 * load begins. After a failure the new worker remembers nothing, so its first update is whole.
 */
export const runCatalogWorker = ({
  loadTimeoutMs = 60_000,
  onCrash = () => undefined,
  file = WORKER,
  clock = () => performance.now(),
  ...workerData
}: CatalogWorkerOptions): CatalogWorker => {
  let worker: Worker | undefined;
  let failures = 0;
  let doublings = 0;
  let restartAt = 0;
  let stopped = false;
  /** Settles the load that is running. */
  let finish: ((answer: CatalogWorkerAnswer) => void) | undefined;

  /** Called for each worker once at most: an ended one is not `worker` any more. */
  const fail = (failed: Worker, error: Error): void => {
    if (failed !== worker) return;
    worker = undefined;
    void failed.terminate();
    restartAt = clock() + Math.min(MIN_BACK_OFF_MS * 2 ** failures++, MAX_BACK_OFF_MS);
    finish?.({ error });
    if (!stopped) onCrash(error);
  };

  const start = (): Worker => {
    // V8 gives a --max-semi-space-size of the command line to every new thread, whatever its limits:
    // with 64 its young generation can grow to 131 MB instead of 17. This thread has read the flag
    // when the process started.
    v8.setFlagsFromString('--max-semi-space-size=0');
    const started = new Worker(file, {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_MB, maxOldGenerationSizeMb: MAX_OLD_MB * 2 ** doublings },
      name: 'catalog',
    });
    started.on('message', (answer: CatalogWorkerAnswer) => finish?.(answer));
    started.on('error', (fault: Error & { readonly code?: string }) => {
      if (fault.code === 'ERR_WORKER_OUT_OF_MEMORY') doublings = Math.min(doublings + 1, MAX_DOUBLINGS);
      fail(started, asError(fault));
    });
    started.on('exit', (code) => fail(started, new Error(`the catalog worker ended with code ${code}`)));
    // The process ends without waiting for an idle worker.
    started.unref();
    return started;
  };
  worker = start();

  return {
    get up() {
      return failures === 0;
    },
    load: (nowMs) =>
      new Promise<CatalogUpdate>((resolve, reject) => {
        if (stopped) return reject(new Error('the catalog worker is stopped'));
        if (worker === undefined && clock() < restartAt) {
          return reject(new Error(`the catalog worker failed and is started again in ${Math.ceil(restartAt - clock())} ms`));
        }
        const used = (worker ??= start());
        const timer = setTimeout(() => fail(used, new Error(`loading the catalog took longer than ${loadTimeoutMs} ms`)), loadTimeoutMs);
        finish = (answer) => {
          clearTimeout(timer);
          finish = undefined;
          if ('error' in answer) return reject(answer.error);
          failures = 0;
          resolve(answer.update);
        };
        used.postMessage(nowMs);
      }),
    stop: async () => {
      stopped = true;
      const ended = worker;
      if (ended) fail(ended, new Error('the catalog worker is stopped'));
      await ended?.terminate();
    },
  };
};
