/*
 * A load balancer as a separate program, so that it does not share an event loop with the load:
 *   PORT=8080 node --import ./scripts/run-typescript.mjs testkit/balancer.ts 3001 3002 3003
 * Round robin over the replicas whose /ready answered 200 in the last check. A request is sent to another replica
 * when its replica refused the connection, and a GET also when the connection broke: a POST may have had its effect.
 */
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';

const CHECK_MS = 200;
const CHECK_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 4;

const ports = process.argv.slice(2).map(Number);
// Of a connection that nobody uses its client always lets go first, here and at the replicas (75 s): one that its server closes while
// a POST is on its way is an error of the balancer's own making.
const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 30_000 });
/** Of one connection, not of the answer (RFC 9110, section 7.6.1): the replica's words about its own connection. */
const HOP_BY_HOP = ['connection', 'keep-alive'];
const ready = new Set<number>();
let turn = 0;

const next = (): number | undefined => {
  const candidates = ready.size > 0 ? ports.filter((port) => ready.has(port)) : ports;
  return candidates[turn++ % candidates.length];
};

/** Names and values in turn, as Node has them. */
const endToEnd = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, i) => !HOP_BY_HOP.includes(rawHeaders[i - (i % 2)]!.toLowerCase()));

const check = async (port: number): Promise<void> => {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const answer = await fetch(`http://127.0.0.1:${port}/ready`, { signal }).catch(() => undefined);
  await answer?.body?.cancel();
  if (answer?.status === 200) ready.add(port);
  else ready.delete(port);
};

const forward = (req: IncomingMessage, res: ServerResponse, body: Buffer, attempts: number): void => {
  const port = next();
  const { method, url, headers } = req;
  const onward = request({ host: '127.0.0.1', port, agent, method, path: url, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
    answer.pipe(res);
    answer.on('error', () => res.destroy());
  });
  onward.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (port !== undefined) ready.delete(port);
    if (res.headersSent) res.destroy();
    else if (attempts > 1 && (code === 'ECONNREFUSED' || method === 'GET')) forward(req, res, body, attempts - 1);
    else res.writeHead(502).end();
  });
  onward.end(body);
};

await Promise.all(ports.map(check));
setInterval(() => ports.forEach((port) => void check(port)), CHECK_MS);
const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => forward(req, res, Buffer.concat(chunks), MAX_ATTEMPTS));
  req.on('error', () => res.destroy());
});
server.keepAliveTimeout = 0;
server.listen(Number(process.env['PORT']), '127.0.0.1');
