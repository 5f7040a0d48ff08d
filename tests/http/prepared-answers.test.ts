import express from 'express';
import request from 'supertest';
import { createAlignedServer } from '../../src/http/server/aligned-server.ts';
import { preflight } from '../../src/http/answers/cors.ts';
import { sendPixel } from '../../src/http/answers/pixel.ts';

const app = express().disable('x-powered-by');
app.get('/impression', (_req, res) => sendPixel(res));
app.options('/ad', preflight);
app.post(
  '/ad',
  express.json(),
  (req, res) => void res.status(201).json({ ...(req.body as object), type: req.get('content-type'), q: req.query.q }),
);

describe('prepared answers', () => {
  test('the pixel is a 43-byte transparent GIF that is not cached and loads on every origin', async () => {
    const answer = await request(app).get('/impression').buffer();
    const bytes = answer.body as Buffer;
    expect(bytes).toHaveLength(43);
    expect(bytes.subarray(0, 10)).toEqual(Buffer.from('GIF89a\x01\0\x01\0', 'latin1'));
    expect([bytes[19], bytes[22]! & 1, bytes[42]]).toEqual([0x21, 1, 0x3b]);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/gif',
      'content-length': '43',
      'cache-control': 'no-store, no-cache, must-revalidate, private',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(answer.headers).not.toHaveProperty('etag');
  });

  test('a preflight allows any origin and the headers of the SDK', async () => {
    const answer = await request(app)
      .options('/ad')
      .set('Origin', 'https://p.example')
      .set('Access-Control-Request-Headers', 'content-type,x-api-key');
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'Content-Type, X-API-Key',
      'access-control-max-age': '86400',
    });
  });

  test('the aligned server behaves as Express does, without changing prototypes per request', async () => {
    const server = createAlignedServer(app, { keepAliveTimeout: 1_000 });
    const prototypes: unknown[] = [];
    server.prependListener('request', (req, res) => prototypes.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const answer = await request(server).post('/ad?q=1').send({ a: 1 });
      expect([answer.status, answer.body]).toEqual([201, { a: 1, type: 'application/json', q: '1' }]);
      expect(prototypes[0]).toBe(app.request);
      expect(prototypes[1]).toBe(app.response);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
