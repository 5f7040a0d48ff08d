import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { JOINS, sendWhole, toBytes } from '../../src/http/answers/send-whole.ts';

const TEXT = JSON.stringify({ html: '<b>Grüße, 東京 🗼</b>', plain: 'x'.repeat(70_000) });

/** What a client receives on one connection until the server closes it. */
const exchange = async (joins: boolean, requests: string): Promise<string> => {
  const server: Server = createServer((_req, res) => {
    const bytes = toBytes(TEXT);
    res.sendDate = false;
    sendWhole(res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length }), bytes, joins);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').end(requests);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  await new Promise((resolve) => server.close(resolve));
  return Buffer.concat(chunks).toString();
};

const request = (method: string, version = '1.1', connection = 'keep-alive') =>
  `${method} / HTTP/${version}\r\nHost: a\r\nConnection: ${connection}\r\n\r\n`;

describe('sendWhole', () => {
  it('joins head and body on the version of Node that runs', () => {
    expect(JOINS).toBe(true);
  });

  it.each([
    ['one request', request('GET', '1.1', 'close')],
    ['pipelined requests', request('GET') + request('GET') + request('GET', '1.1', 'close')],
    ['HEAD requests, which have no body', request('HEAD') + request('GET', '1.1', 'close')],
    ['HTTP/1.0', request('GET', '1.0', 'close')],
  ])('sends the same bytes joined and not joined: %s', async (_name, requests) => {
    const joined = await exchange(true, requests);
    expect(joined).toBe(await exchange(false, requests));
    expect(joined).toContain(`\r\n\r\n${TEXT}`);
  });
});
