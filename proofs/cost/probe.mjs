/*
 * Loaded into a replica with --import, only by the proof of costs. On a separate port it answers
 * /heap, the bytes in use after a collection, and /delay, the longest time in ms for which the event
 * loop was held since /watch.
 */
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delays = monitorEventLoopDelay({ resolution: 1 });

const answers = {
  '/heap': () => {
    // Twice: the first one runs finalizers, whose garbage the second one takes.
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  // Enabled only while it is asked for: its timer costs about 1 % of the loop.
  '/watch': () => {
    delays.reset();
    return delays.enable();
  },
  '/delay': () => {
    delays.disable();
    return delays.max / 1e6;
  },
};

createServer({ keepAliveTimeout: 600_000 }, (req, res) => res.end(String(answers[req.url]?.())))
  .listen(Number(process.env.COST_PROBE_PORT), '127.0.0.1')
  .unref();
