import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import request from 'supertest';
import { sendProblem } from '../../src/http/problems/problem.ts';
import { readBody, type BodyOutcome } from '../../src/http/request/read-body.ts';

const LIMIT = 1_000;

describe('body reader', () => {
  let server: Server;
  let outcomes: BodyOutcome[];
  beforeEach(async () => {
    outcomes = [];
    server = createServer((req, res) => {
      void readBody(req, LIMIT).then((outcome) => {
        outcomes.push(outcome);
        if ('body' in outcome) res.setHeader('Content-Type', 'text/plain').end(outcome.body);
        else if ('refusal' in outcome) sendProblem(res, outcome.refusal);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const port = () => (server.address() as AddressInfo).port;
  const post = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const answer = await request(server).post('/').type('text').set(headers).send(body);
    return { status: answer.status, text: answer.text };
  };
  /** Sends raw HTTP; resolves with the received text when it matches `until` or the connection ends. */
  const talk = (until: RegExp, speak: (socket: Socket) => void) =>
    new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(port(), '127.0.0.1', () => speak(socket));
      socket.on('data', (chunk) => {
        received += chunk.toString();
        if (until.test(received)) socket.destroy();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(received));
    });

  test('accepts a body up to the limit unchanged', async () => {
    expect(await post('é'.repeat(500))).toEqual({ status: 200, text: 'é'.repeat(500) });
    expect(await post('')).toEqual({ status: 200, text: '' });
  });

  test('refuses a Content-Length over the limit before the body arrives', async () => {
    const received = await talk(/\}$/, (socket) => socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n'));
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(received).toContain('"code":"body_too_large"');
  });

  test('refuses a chunked body that exceeds the limit, and keeps the connection when the body ends soon', async () => {
    const chunk = `258\r\n${'x'.repeat(600)}\r\n`;
    const received = await talk(/again/, (socket) => {
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}0\r\n\r\n`);
      socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nagain');
    });
    expect(received).toMatch(/^HTTP\/1\.1 413 [^]*HTTP\/1\.1 200 [^]*again$/);
  });

  test('answers a client that sends far beyond the limit, then closes the connection', async () => {
    let sent = 0;
    const received = await talk(/never/, (socket) => {
      socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
      const more = (): void => {
        if (socket.destroyed || sent > 50_000_000) return void socket.destroy();
        sent += 65_536;
        socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`, () => setImmediate(more));
      };
      more();
    });
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(50_000_000);
  });

  test('a client that disconnects in the middle of its body causes no error', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(port(), '127.0.0.1', () => {
        socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf');
        setTimeout(() => socket.destroy(), 50);
      });
      socket.on('close', () => setTimeout(resolve, 50));
    });
    expect(outcomes).toEqual([{ gone: true }]);
    expect((await post('next')).status).toBe(200);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
  ])('decodes a %s body', async (encoding, compress) => {
    expect(await post(compress('{"a":1}'), { 'Content-Encoding': encoding })).toEqual({ status: 200, text: '{"a":1}' });
  });

  test.each([
    ['gzip', gzipSync('x'.repeat(10_000_000)), 413],
    ['br', brotliCompressSync('x'.repeat(1_001)), 413],
    ['gzip', Buffer.from('not gzip'), 400],
    ['gzip', gzipSync('{"a":1}').subarray(0, 15), 400],
    ['zip', Buffer.from('x'), 415],
    ['gzip, gzip', gzipSync(gzipSync('x')), 415],
  ])('refuses a %s body that is too large, broken or of unknown encoding', async (encoding, body, status) => {
    // Ten megabytes of one letter are 9.7 kB of gzip, over the limit as sent; 1,001 letters are over it only decoded.
    expect((await post(body, { 'Content-Encoding': encoding })).status).toBe(status);
  });
});
