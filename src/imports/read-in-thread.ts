import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { AskedImport, ImportReading } from './read-import.ts';

const WORKER = new URL('./import-worker.js', import.meta.url);
/** Of its heap: the rows of a file. */
const MAX_OLD_MB = 1_024;
const MAX_YOUNG_MB = 32;
/** A dump of 64 MB takes some seconds. */
const MAX_MS = 60_000;

const refusal = (said: string): ImportReading => ({ ok: false, said, faults: [], option: undefined });

/** Reads a file as bookings in a thread that ends with it. A file that is too much for it is a value with the reason. */
export const readInThread = (asked: AskedImport): Promise<ImportReading> => {
  // See catalog/worker/run-catalog-worker.ts.
  v8.setFlagsFromString('--max-semi-space-size=0');
  const worker = new Worker(WORKER, {
    workerData: asked,
    resourceLimits: { maxOldGenerationSizeMb: MAX_OLD_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    name: 'import',
  });
  worker.unref();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(refusal('It takes longer to read than a minute: divide it'));
      void worker.terminate();
    }, MAX_MS).unref();
    worker.once('message', resolve);
    worker.once('error', (fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(refusal('It has more than can be read in one file: divide it'));
      else reject(fault);
    });
    worker.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`The thread that reads an import ended with code ${code}.`));
    });
  });
};
