/*
 * Loaded into a replica with --import, only by proofs. Answers on a separate port:
 *
 *   /heap         the bytes in use after a collection
 *   /watch, then /delay    the longest time in ms for which the event loop was held meanwhile: CPU time of
 *                 the main thread, because by the clock it is longer when other processes had the core
 *   /calls/begin, then /calls    what each call of a script or function cost the main thread of Redis
 *                 meanwhile, in ms of CPU time: each is sent between two questions for it. Redis answers a
 *                 connection in order, so only commands of other connections can add to a figure
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import { Command, Redis } from 'ioredis';

const cpuMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;

let timer;
let longestMs = 0;

const send = Redis.prototype.sendCommand;
const CALLS = new Set(['fcall', 'evalsha', 'eval']);
let costs;

/** Source: INFO cpu of Redis 7, in seconds with six decimals. */
const mainThreadMs = (info) => {
  const [sys, user] = ['sys', 'user'].map((name) => Number(new RegExp(`^used_cpu_${name}_main_thread:([\\d.]+)`, 'm').exec(info)?.[1]));
  return 1_000 * (sys + user);
};

function measuredSend(command, stream) {
  if (!CALLS.has(command.name)) return send.call(this, command, stream);
  const ask = () => {
    const question = new Command('info', ['cpu'], { replyEncoding: 'utf8' });
    send.call(this, question, stream);
    return question.promise.then(mainThreadMs);
  };
  const before = ask();
  const answer = send.call(this, command, stream);
  // A call that fails is the service's to handle; one whose connection broke was not measured.
  Promise.all([before, ask()]).then(
    ([from, to]) => costs.push(to - from),
    () => undefined,
  );
  return answer;
}

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
  '/calls/begin': () => {
    costs = [];
    Redis.prototype.sendCommand = measuredSend;
    return '';
  },
  '/calls': () => {
    Redis.prototype.sendCommand = send;
    return JSON.stringify(costs);
  },
};

// A worker thread loads it, too.
if (isMainThread)
  createServer({ keepAliveTimeout: 600_000 }, (req, res) => res.end(String(answers[req.url]?.())))
    .listen(Number(process.env.REPLICA_PROBE_PORT), '127.0.0.1')
    .unref();
