import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { sendWhole, toBytes } from '../../src/http/answers/send-whole.ts';
import { createWholeAnswer, type SendAnswer } from '../../src/http/answers/whole-answer.ts';

const HEADERS = ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-store'];
const BODIES = ['', 'short', 'Grüße, 東京 🗼', 'x'.repeat(70_000)].map(toBytes);

/** As Node does it for each answer. */
const plain: SendAnswer = (res, body) => sendWhole(res.writeHead(200, [...HEADERS, 'Content-Length', String(body.length)]), body);

interface Exchange {
  readonly requests: string;
  readonly before?: RequestListener;
  readonly keepAliveMs?: number;
}

/** What a client receives on one connection until the server closes it; each answer has the next body. */
const exchange = async (send: SendAnswer, { requests, before, keepAliveMs = 5_000 }: Exchange): Promise<string> => {
  let answers = 0;
  const server: Server = createServer({ keepAliveTimeout: keepAliveMs }, (req, res) => {
    before?.(req, res);
    send(res, BODIES[answers++ % BODIES.length]!);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').end(requests);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  await new Promise((resolve) => server.close(resolve));
  return Buffer.concat(chunks)
    .toString()
    .replaceAll(/Date: [^\r]+/g, 'Date: …');
};

const request = (method = 'GET', version = '1.1', headers = 'Connection: keep-alive') =>
  `${method} / HTTP/${version}\r\nHost: a\r\n${headers}\r\n\r\n`;
const LAST = request('GET', '1.1', 'Connection: close');

const EXCHANGES: readonly (readonly [name: string, exchange: Exchange])[] = [
  ['one request', { requests: LAST }],
  ['pipelined requests', { requests: request().repeat(6) + LAST }],
  ['HEAD requests, which have no body', { requests: request() + request('HEAD') + request() + LAST }],
  ['HTTP/1.0', { requests: request() + request('GET', '1.0') + request('GET', '1.0', 'Accept: */*') }],
  ['a client that waits for leave to send', { requests: request() + request('GET', '1.1', 'Expect: 100-continue') + LAST }],
  ['headers that are set before', { requests: request().repeat(3) + LAST, before: (_req, res) => void res.setHeader('X-Request-Id', '7') }],
  ['a server that closes its connections', { requests: request(), before: (_req, res) => void (res.shouldKeepAlive = false) }],
  ['another patience with idle connections', { requests: request().repeat(3) + LAST, keepAliveMs: 61_000 }],
];

test.each(EXCHANGES)('sends what Node would send: %s', async (_name, given) => {
  const send = createWholeAnswer(HEADERS);
  const usual: Exchange = { requests: request().repeat(2) + LAST };
  // A head that was written for usual requests may be repeated for none that takes another.
  expect(await exchange(send, usual)).toBe(await exchange(plain, usual));
  expect(await exchange(send, given)).toBe(await exchange(plain, given));
  expect(await exchange(send, usual)).toBe(await exchange(plain, usual));
});

test('repeats the head that Node has written within a second, and has a new one written for the next', async () => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout'],
    now: Date.UTC(2026, 5, 15, 12),
  });
  try {
    const send = createWholeAnswer(HEADERS);
    const written: number[] = [];
    const before: RequestListener = (_req, res) => {
      const { writeHead } = res;
      res.writeHead = ((...given: Parameters<typeof writeHead>) => {
        written.push(Date.now());
        return writeHead.apply(res, given);
      }) as typeof writeHead;
    };
    const requests = request().repeat(4) + LAST;
    await exchange(send, { requests, before });
    // The last one closes its connection.
    expect(written).toHaveLength(2);
    jest.setSystemTime(Date.UTC(2026, 5, 15, 12, 0, 1));
    await exchange(send, { requests, before });
    expect(written).toHaveLength(4);
  } finally {
    jest.useRealTimers();
  }
});
