import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { readImport, type AskedImport } from './read-import.ts';

/* The thread that reads the file of one import, so that the thread which serves ads does not. It has the lowest priority. */

if (process.platform === 'linux') os.setPriority(os.constants.priority.PRIORITY_LOW);

parentPort?.postMessage(await readImport(workerData as AskedImport));
