/*
 * Loaded into a replica with --import, only by the proof of costs. On a separate port it answers
 * /heap, the bytes in use after a collection, and /delay, the longest time in ms for which the event
 * loop was held since /watch: CPU time of the main thread, because by the clock it is longer when
 * other processes had the core.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

const cpuMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;

let timer;
let longestMs = 0;

const answers = {
  '/heap': () => {
    // Twice: the first one runs finalizers, whose garbage the second one takes.
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  // Only while it is asked for: the timer, which runs once in a turn of the loop, costs about 2 % of it.
  '/watch': () => {
    longestMs = 0;
    let before = cpuMs();
    timer = setInterval(() => {
      const now = cpuMs();
      longestMs = Math.max(longestMs, now - before);
      before = now;
    }, 1);
    return '';
  },
  '/delay': () => {
    clearInterval(timer);
    return longestMs;
  },
};

// A worker thread loads it, too.
if (isMainThread)
  createServer({ keepAliveTimeout: 600_000 }, (req, res) => res.end(String(answers[req.url]?.())))
    .listen(Number(process.env.COST_PROBE_PORT), '127.0.0.1')
    .unref();
