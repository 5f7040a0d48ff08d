import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { closeSlowReaders, MAX_PIPELINED, type SlowReaderOptions } from '../../src/http/server/slow-readers.ts';

let server: Server;
const listen = async (options: SlowReaderOptions, answer: RequestListener, server_: ServerOptions = {}): Promise<void> => {
  server = createServer(server_, answer);
  closeSlowReaders(server, { everyMs: 20, ...options });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
};
const open = (): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const MEGABYTES = Buffer.alloc(20_000_000);

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a connection whose client does not read is closed, one whose client reads stays open', async () => {
  await listen({ maxUnreadMs: 300 }, (req, res) => res.end(req.url === '/large' ? MEGABYTES : 'read'));
  const silent = open().pause();
  const [accepted] = (await once(server, 'connection')) as [Socket];
  let isClosed = false;
  accepted.once('close', () => (isClosed = true));
  silent.write(GET.replace('/', '/large'));
  const reading = open();
  const ask = async (): Promise<string> => {
    reading.write(GET);
    return String(await once(reading, 'data'));
  };
  while (!isClosed) expect(await ask()).toMatch(/read$/);
  expect(await ask()).toMatch(/read$/);
  [silent, reading].forEach((socket) => socket.destroy());
});

test('when too many bytes wait, the connection with the most is closed first', async () => {
  await listen({ maxUnreadBytes: 25_000_000 }, (req, res) => res.end(req.url === '/large' ? MEGABYTES : MEGABYTES.subarray(0, 12_000_000)));
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  const small = open().pause();
  small.write(GET);
  while (accepted.length < 1) await once(server, 'connection');
  const large = open().pause();
  large.write(GET.replace('/', '/large'));
  while (accepted.length < 2) await once(server, 'connection');
  await once(accepted[1] as Socket, 'close');
  expect(accepted[0]?.destroyed).toBe(false);
  [small, large].forEach((socket) => socket.destroy());
});

test(`a connection with more than ${MAX_PIPELINED} requests behind one another is closed`, async () => {
  const held: ServerResponse[] = [];
  await listen({}, (_req, res) => held.push(res));
  const few = open();
  few.write(GET.repeat(MAX_PIPELINED + 1));
  while (held.length < MAX_PIPELINED + 1) await setImmediate();
  let text = '';
  few.on('data', (chunk) => (text += String(chunk)));
  held.splice(0).forEach((res) => res.end('x'));
  while (text.split('HTTP/1.1 200').length - 1 < MAX_PIPELINED + 1) await once(few, 'data');
  const many = open();
  many.write(GET.repeat(MAX_PIPELINED + 2));
  many.resume();
  await once(many, 'close');
  expect(few.destroyed).toBe(false);
  few.destroy();
});
