/**
 * An open-loop load generator: requests leave at moments drawn beforehand (a Poisson process), whether or not earlier ones have been answered.
 *
 * A latency runs from the moment at which the request was *due*: one that had to wait for a free connection, or for this process, has
 * waited. A closed loop would slow down with the server and leave out just the waits that matter ("coordinated omission").
 *
 * It polls, for the reason that closed-loop.mjs gives: a server that has to wake its client for each answer is full at half of what it answered a
 * client that polls. Where others need the time that polling takes, `polls: false` rests 0.1 ms before each look at the sockets.
 *
 *   node bench/open-loop.mjs '{"port": 8787, "rate": 1000, "seconds": 10, "file": "calls", "connections": 256, "follow": 0.9, "out": "samples"}'
 *
 * Only what is due after `warmUp` seconds is a sample: before, this process compiles its own loop, which makes even a server that does nothing
 * look slow. Default 2.
 *
 * `file`: lines '<api key>\t<body>'. `follow`: the share of answered ads whose impression is requested half a second later, by the
 * browser that the ad was asked for; default 0.
 * `out`: three doubles a request: kind (0 ad, 1 impression), moment when it was due (epoch ms), latency (ms). Prints one JSON line.
 */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createAdRequests, createChance } from './ad-requests.mjs';

const { port, rate, seconds, file, connections = 256, follow = 0, warmUp = 2, polls = true, out, seed = 1 } = JSON.parse(process.argv[2]);
const VIEW_DELAY_MS = 500;
const PATIENCE_MS = 5_000;
const REST_MS = 0.1;
const never = new Int32Array(new SharedArrayBuffer(4));

const chance = createChance(seed);
const nextAdRequest = createAdRequests({ file, path: '/ad', chance });
const gap = () => (-Math.log(1 - chance()) * 1000) / rate;

const idle = [];
const waiting = [];
const views = [];
const samples = [];
let errors = 0;
let late = 0;
let sent = 0;
let answered = 0;

const open = () =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(link));
    const link = { socket, text: '', due: 0, kind: 0, browser: '' };
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => {
      if (link.due !== 0) errors++;
      else if (idle.includes(link)) idle.splice(idle.indexOf(link), 1);
      open().then(free, reject);
    });
    socket.on('data', (chunk) => {
      // A server answers 408 on a connection that waits too long for its first request, and closes it.
      if (link.due === 0) return;
      link.text = link.text === '' ? chunk : link.text + chunk;
      const end = link.text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(link.text)?.[1]);
      if (link.text.length < end + 4 + length) return;
      finish(link);
    });
  });

const finish = (link) => {
  answered++;
  if (link.due >= counted) samples.push(link.kind, performance.timeOrigin + link.due, performance.now() - link.due);
  if (!link.text.startsWith('HTTP/1.1 200')) errors++;
  if (link.kind === 0 && follow > 0) {
    for (const [, path] of link.text.matchAll(/"impurl":"([^"]+)"/g))
      if (chance() < follow)
        views.push({ due: performance.now() + VIEW_DELAY_MS, path: path.slice(path.indexOf('/impression')), browser: link.browser });
  }
  link.text = '';
  link.due = 0;
  free(link);
};

const free = (link) => {
  const next = waiting.shift();
  if (next) send(link, next);
  else idle.push(link);
};

const send = (link, { due, kind, text, browser }) => {
  link.due = due;
  link.kind = kind;
  link.browser = browser;
  link.socket.write(text);
  sent++;
};

const submit = (task) => {
  const link = idle.pop();
  if (link) send(link, task);
  else waiting.push(task);
};

idle.push(...(await Promise.all(Array.from({ length: connections }, open))));
const begun = performance.now();
const counted = begun + warmUp * 1000;
const end = counted + seconds * 1000;
let nextAd = begun + gap();

const step = () => {
  const now = performance.now();
  for (; nextAd <= now && nextAd < end; nextAd += gap()) {
    late = Math.max(late, now - nextAd);
    submit({ due: nextAd, kind: 0, ...nextAdRequest() });
  }
  while (views.length > 0 && views[0].due <= now) {
    const { due, path, browser } = views.shift();
    submit({ due, kind: 1, text: `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: ${browser}\r\n\r\n`, browser });
  }
  const busy = waiting.length > 0 || idle.length < connections;
  if (now >= end && ((!busy && views.length === 0) || now >= end + PATIENCE_MS)) return report();
  if (!polls) Atomics.wait(never, 0, 0, REST_MS);
  setImmediate(step);
};

const report = () => {
  const unanswered = connections - idle.length + waiting.length;
  if (out) writeFileSync(out, Buffer.from(Float64Array.from(samples).buffer));
  process.stdout.write(JSON.stringify({ sent, answered, errors: errors + unanswered, latestMs: late }) + '\n');
  process.exit(0);
};

step();
