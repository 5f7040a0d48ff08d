import { request as httpRequest, createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../setup/at-end.ts';

export interface PassedCall {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly key: string | undefined;
  readonly atMs: number;
}

/**
 * A server in front of a service. The first answer to a call whose note says that it is lost is not passed on, though the call
 * was carried out. While the first call of applyBookings is passed on, another one is being read by the service.
 */
export const openLossyDoor = async (target: string) => {
  const passed: PassedCall[] = [];
  const lost = new Set<string>();
  const send = (method: string, url: string, headers: IncomingHttpHeaders) => {
    const call = httpRequest(`${target}${url}`, { method, headers: { ...headers, host: new URL(target).host } });
    const answered = new Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }>(
      (resolve, reject) => {
        call.on('error', reject).on('response', async (answer) => {
          resolve({ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(await answer.toArray()) });
        });
      },
    );
    return { call, answered };
  };
  const applied = new Set<string>();
  const server = createServer();
  server.on('request', async (req, res) => {
    const { method = '', url = '', headers } = req;
    const body = Buffer.concat(await req.toArray());
    const isApply = url.startsWith('/api/apply') && !applied.has(headers['user-agent'] ?? '');
    const held = isApply
      ? send('POST', '/api/apply', {
          authorization: headers.authorization,
          'content-type': 'application/x-ndjson',
          'transfer-encoding': 'chunked',
        })
      : undefined;
    if (isApply) applied.add(headers['user-agent'] ?? '');
    await new Promise<void>((resolve) => (held ? held.call.write('\n', () => resolve()) : resolve()));
    const sent = send(method, url, headers);
    sent.call.end(body);
    const answer = await sent.answered;
    passed.push({ method, url, status: answer.status, key: headers['idempotency-key'] as string | undefined, atMs: performance.now() });
    held?.call.end();
    await held?.answered;
    const name = `${method} ${url} ${headers['user-agent']}`;
    if (String(headers['change-note']).includes('lost') && !lost.has(name)) {
      lost.add(name);
      req.socket.destroy();
      return;
    }
    res.writeHead(answer.status, answer.headers).end(answer.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, passed };
};
