/*
 * A load balancer as a separate program, so that it does not share an event loop with the load:
 *   PORT=8080 node --import tsx testkit/balancer.ts 3001 3002 3003
 * Round robin over the replicas whose /ready answered 200 in the last check. A request is sent to another replica
 * when its replica refused the connection, and a GET also when the connection broke: a POST may have had its effect.
 */
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';

const CHECK_MS = 200;
const CHECK_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 4;

const ports = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const ready = new Set<number>();
let turn = 0;

const next = (): number | undefined => {
  const candidates = ready.size > 0 ? ports.filter((port) => ready.has(port)) : ports;
  return candidates[turn++ % candidates.length];
};

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
    res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
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
createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => forward(req, res, Buffer.concat(chunks), MAX_ATTEMPTS));
  req.on('error', () => res.destroy());
}).listen(Number(process.env['PORT']), '127.0.0.1');
