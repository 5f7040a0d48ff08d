/**
 * A closed-loop load generator: every connection sends its next request when it has the answer to the last.
 *
 * It polls: it never sleeps while it waits. To wake a sleeping process on another core costs the *sender* 15 to 45 µs of CPU time on a
 * virtual machine, so that a generator that sleeps makes a server look the slower, the more often it is idle itself. Whoever starts it gives
 * Redis, with which it shares a core, the higher priority.
 *
 *   node bench/closed-loop.mjs '{"port": 8787, "seconds": 8, "file": "calls", "kind": "ads", "path": "/ad", "connections": 64, "seed": 1}'
 *
 * `kind`: `ads`: the file has lines '<api key>\t<body>', which are posted to `path`, each with a user drawn anew; `paths`: it has paths, which
 * are got once each, in order; when all have been used it begins again, and `repeated` counts.
 * `polls`: default true; false: it sleeps, for several generators on one core.
 * `warmUp`: seconds that are not counted, in which this process compiles its own loop; default 0.3.
 *
 * Prints a line `counting` when the counted time begins, and a line of JSON when it ends.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createAdRequests, createChance } from './ad-requests.mjs';

const options = { path: '/ad', connections: 64, browser: '', polls: true, warmUp: 0.3, seed: 1, ...JSON.parse(process.argv[2]) };
const { port, seconds, file, kind, path, connections, browser, polls, warmUp, seed } = options;
const PATIENCE_MS = 10_000;
const BUFFER_BYTES = 65_536;
const STATUS_AT = 'HTTP/1.1 '.length;
const TWO = '2'.charCodeAt(0);
const THREE = '3'.charCodeAt(0);

let repeated = 0;

const createPixelRequests = () => {
  const texts = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => `GET ${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: ${browser}\r\n\r\n`);
  let at = 0;
  return () => {
    if (at >= texts.length) repeated++;
    return texts[at++ % texts.length];
  };
};

const createPostedRequests = () => {
  const next = createAdRequests({ file, path, chance: createChance(seed) });
  return () => next().text;
};

const next = kind === 'paths' ? createPixelRequests() : createPostedRequests();

let counting = false;
let ended = false;
const links = new Set();
let sent = 0;
let answered = 0;
let bytes = 0;
let errors = 0;
let latencies = new Float64Array(1 << 20);

const send = (link) => {
  if (ended) return;
  sent++;
  link.sentAt = performance.now();
  link.socket.write(next(), 'latin1');
};

/** Counts an answer when all of it is there. */
const take = (link, length, buffer) => {
  link.bytes += length;
  if (link.needed === 0) {
    const text = buffer.latin1Slice(0, length);
    const end = text.indexOf('\r\n\r\n');
    const [, size] = /content-length: (\d+)/i.exec(text) ?? [];
    if (end === -1 || size === undefined) throw new Error(`an answer without a whole head, or without a length: ${text.slice(0, 200)}`);
    const status = buffer[STATUS_AT];
    if (status !== TWO && status !== THREE) errors++;
    link.needed = end + 4 + Number(size);
  }
  if (link.bytes < link.needed) return true;
  if (counting) {
    if (answered === latencies.length) {
      const longer = new Float64Array(2 * answered);
      longer.set(latencies);
      latencies = longer;
    }
    latencies[answered++] = performance.now() - link.sentAt;
    bytes += link.bytes;
  }
  link.bytes = link.needed = 0;
  send(link);
  return true;
};

const openLink = () =>
  new Promise((resolve, reject) => {
    const link = { socket: undefined, sentAt: 0, bytes: 0, needed: 0 };
    const onread = { buffer: Buffer.allocUnsafe(BUFFER_BYTES), callback: (length, buffer) => take(link, length, buffer) };
    link.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, () => {
      links.add(link);
      resolve(link);
    });
    link.socket.on('error', reject);
    link.socket.on('close', () => {
      links.delete(link);
      if (ended) return;
      errors++;
      openLink().then(send, fail);
    });
  });

const fail = (error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
};

const opened = await Promise.all(Array.from({ length: connections }, openLink));
for (const link of opened) send(link);

const poll = () => {
  if (!ended) setImmediate(poll);
};
if (polls) poll();

setTimeout(() => {
  errors = 0;
  counting = true;
  const begun = performance.now();
  process.stdout.write('counting\n');
  setTimeout(() => {
    ended = true;
    const micros = Math.round(1000 * (performance.now() - begun));
    const overdue = performance.now() - PATIENCE_MS;
    errors += connections - links.size + [...links].filter(({ sentAt }) => sentAt < overdue).length;
    const sorted = latencies.subarray(0, answered).sort();
    const percentile = (share) => Math.round(1000 * (sorted[Math.min(answered - 1, Math.floor(share * answered))] ?? 0));
    const found = { requests: answered, sent, micros, bytes, errors, repeated, p99: percentile(0.99) };
    process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0));
  }, seconds * 1000);
}, warmUp * 1000);
