import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Balancer } from './start-balancer.ts';

const CHECK_MS = 200;
const TRIES = 4;

/** Stands in for haproxy where that is not installed: round robin over the replicas that are ready, GETs tried again elsewhere. */
export const startRoundRobin = async (ports: readonly number[]): Promise<Balancer> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const ready = new Set<number>();
  let turn = 0;
  const next = (): number => {
    const candidates = ports.filter((port) => ready.has(port));
    const pool = candidates.length > 0 ? candidates : ports;
    return pool[turn++ % pool.length]!;
  };

  const check = async (port: number): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
    if (answer?.status === 200) ready.add(port);
    else ready.delete(port);
  };
  await Promise.all(ports.map(check));
  const timer = setInterval(() => ports.forEach((port) => void check(port)), CHECK_MS).unref();

  const forward = (req: IncomingMessage, res: ServerResponse, body: Buffer, tries: number): void => {
    const port = next();
    const onward = request({ host: '127.0.0.1', port, agent, method: req.method, path: req.url, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(res);
      answer.on('error', () => res.destroy());
    });
    onward.on('error', (fault: NodeJS.ErrnoException) => {
      ready.delete(port);
      const untouched = fault.code === 'ECONNREFUSED';
      if (res.headersSent) res.destroy();
      else if (tries > 1 && (untouched || req.method === 'GET')) forward(req, res, body, tries - 1);
      else res.writeHead(502).end();
    });
    onward.end(body);
  };

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => forward(req, res, Buffer.concat(chunks), TRIES));
    req.on('error', () => res.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    name: 'built in',
    close: async () => {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      agent.destroy();
    },
  };
};
