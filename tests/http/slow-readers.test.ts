import { createServer, type Server, type ServerOptions, type RequestListener } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
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
  await listen({ maxUnreadMs: 300 }, (_req, res) => res.end(MEGABYTES));
  const silent = open().pause();
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const closed = once(accepted, 'close');
  const reading = open().resume();
  silent.write(GET);
  reading.write(GET);
  const begun = performance.now();
  await closed;
  expect(performance.now() - begun).toBeLessThan(2_000);
  reading.write(GET);
  let bytes = 0;
  reading.on('data', (chunk: Buffer) => (bytes += chunk.length));
  while (bytes < MEGABYTES.length) await once(reading, 'data');
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
  let asked = 0;
  await listen({}, (_req, res) => setTimeout(() => res.end(String(++asked)), 50));
  const few = open();
  few.write(GET.repeat(MAX_PIPELINED));
  let text = '';
  few.on('data', (chunk) => (text += String(chunk)));
  while (text.split('HTTP/1.1 200').length - 1 < MAX_PIPELINED) await once(few, 'data');
  const many = open();
  many.write(GET.repeat(MAX_PIPELINED + 2));
  many.resume();
  await once(many, 'close');
  expect(asked).toBeLessThan(2 * MAX_PIPELINED);
});
