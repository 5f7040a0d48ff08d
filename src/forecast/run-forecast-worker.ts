import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';
import { NOT_MADE } from './forecast-answer.ts';
import { asError } from '../base/narrow.ts';
import type { ForecastMessage, ForecastReply, ForecastWorkerData } from './forecast-worker.ts';

/** Of its heap: a sample of four weeks and its replay. A forecast that needs more fails, and the next begins anew. */
const MAX_OLD_MB = 1_536;
const MAX_YOUNG_MB = 32;

const WORKER = new URL('./forecast-worker.js', import.meta.url);

/** The thread that forecasts, started by the first question. */
export const runForecastWorker = (workerData: ForecastWorkerData) => {
  let worker: Worker | undefined;
  const waiting = new Map<string, (reply: ForecastReply) => void>();

  const failAll = (reason: string): void => {
    for (const [id, onReply] of waiting) onReply({ id, tells: 'failure', reason: NOT_MADE, fault: reason });
    waiting.clear();
  };
  const start = (): Worker => {
    // See catalog/worker/run-catalog-worker.ts.
    v8.setFlagsFromString('--max-semi-space-size=0');
    const started = new Worker(WORKER, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_OLD_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
      name: 'forecast',
    });
    const end = (reason: string): void => {
      if (started !== worker) return;
      worker = undefined;
      failAll(reason);
    };
    started.on('message', (reply: ForecastReply) => {
      const onReply = waiting.get(reply.id);
      if (reply.tells !== 'sampled' && reply.tells !== 'progress') waiting.delete(reply.id);
      onReply?.(reply);
    });
    started.on('error', (fault) => end(asError(fault).message));
    started.on('exit', (code) => end(`the forecast ended with code ${code}`));
    started.unref();
    return started;
  };

  return {
    /** @param onReply called until the reply is an answer, figures or a failure */
    ask: (message: Exclude<ForecastMessage, { readonly ask: 'cancel' }>, onReply: (reply: ForecastReply) => void): void => {
      waiting.set(message.id, onReply);
      (worker ??= start()).postMessage(message);
    },
    cancel: (id: string): void => worker?.postMessage({ ask: 'cancel', id } satisfies ForecastMessage),
    stop: async (): Promise<void> => {
      const ended = worker;
      worker = undefined;
      failAll('the service stops');
      await ended?.terminate();
    },
  };
};

export type ForecastWorker = ReturnType<typeof runForecastWorker>;
