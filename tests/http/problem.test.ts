import express, { type Express } from 'express';
import { createServer } from 'node:http';
import request from 'supertest';
import { createErrorHandler, methodNotAllowed, notFound } from '../../src/http/problems/error-handler.ts';
import { problem, sendProblem } from '../../src/http/problems/problem.ts';

const appOf = (build: (app: Express) => void) => {
  const logged: unknown[] = [];
  let errors = 0;
  const app = express();
  build(app);
  app.use(notFound);
  const error = (message: string, fields?: object) => void logged.push({ message, ...fields });
  app.use(createErrorHandler({ log: { error, warn: error, info: error, debug: error }, countError: () => void errors++ }));
  return { app, logged, errors: () => errors };
};

describe('problems', () => {
  test('every problem is an RFC 9457 document with type, status, faults, and the path without the query', async () => {
    const { app } = appOf((it) =>
      it.get('/impression', (_req, res) =>
        sendProblem(res, problem('invalid_request', 'Wrong.', [{ pointer: '/imp/0/id', detail: 'é is missing' }])),
      ),
    );
    const answer = await request(app).get('/impression?t=secret');
    expect(answer.status).toBe(400);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'content-length': String(Buffer.byteLength(answer.text)),
    });
    expect(JSON.parse(answer.text)).toEqual({
      type: '/problems/invalid_request',
      title: 'Invalid request',
      status: 400,
      detail: 'Wrong.',
      instance: '/impression',
      code: 'invalid_request',
      request_id: answer.headers['x-request-id'],
      errors: [{ pointer: '/imp/0/id', detail: 'é is missing' }],
    });
  });
});

describe('thrown errors', () => {
  const { app, logged, errors } = appOf((it) => {
    it.use('/files', express.static(__dirname));
    it.get('/status/:status', (req) => {
      throw Object.assign(new Error('the insides'), { status: Number(req.params.status) });
    });
    it.get('/item/:id', (_req, res) => void res.json({}));
    it.all('/item/:id', methodNotAllowed('GET, HEAD'));
    it.get('/broken', () => {
      throw new TypeError('the insides');
    });
    it.get('/rejected', () => Promise.reject(new Error('the insides')));
    it.get('/nothing', (_req, _res, next) => next('a text'));
    it.get('/half', (_req, res) => {
      res.write('half');
      throw new Error('the insides');
    });
  });
  beforeEach(() => {
    logged.length = 0;
  });

  test.each([
    [
      'a range outside the file',
      () => request(app).get('/files/problem.test.ts').set('Range', 'bytes=9999999-'),
      416,
      'range_not_satisfiable',
    ],
    ['a body that took too long', () => request(app).get('/status/408'), 408, 'request_timeout'],
    ['a body that is too long', () => request(app).get('/status/413'), 413, 'body_too_large'],
    ['an unknown encoding', () => request(app).get('/status/415'), 415, 'unsupported_media'],
    ['another client error', () => request(app).get('/status/422'), 400, 'invalid_request'],
    ['broken percent-encoding', () => request(app).get('/item/%E0%A4%A'), 400, 'invalid_request'],
    ['an unknown path', () => request(app).get('/nowhere'), 404, 'not_found'],
    ['a wrong method', () => request(app).delete('/item/1'), 405, 'method_not_allowed'],
  ])('%s gives a 4xx response and is not logged', async (_, ask, status, code) => {
    const before = errors();
    const answer = await ask();
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([status, code]);
    expect(answer.text).not.toMatch(/insides|node_modules/);
    expect([logged, errors() - before]).toEqual([[], 0]);
  });

  test('a method that is not allowed gets a 405 with the allowed methods', async () => {
    expect((await request(app).delete('/item/1')).headers.allow).toBe('GET, HEAD');
  });

  test.each(['/broken', '/rejected', '/nothing'])(
    '%s is a server error: a 500 without internals, logged and counted once',
    async (path) => {
      const before = errors();
      const answer = await request(app).get(`${path}?t=secret`);
      expect([answer.status, answer.headers['content-type']]).toEqual([500, 'application/problem+json']);
      expect(answer.text).not.toMatch(/insides|at .*\.ts/);
      const requestId = answer.headers['x-request-id'];
      expect(requestId).toMatch(/^[\da-f-]{36}$/);
      expect(logged).toEqual([expect.objectContaining({ message: 'A request failed', requestId, method: 'GET', path })]);
      expect(errors() - before).toBe(1);
    },
  );

  test.each([
    [503, 503, 'unavailable'],
    [502, 500, 'internal'],
    [200, 500, 'internal'],
  ])('an error with status %i is answered with %i %s and counted', async (thrown, status, code) => {
    const before = errors();
    const answer = await request(app).get(`/status/${thrown}`);
    expect([answer.status, JSON.parse(answer.text).code, errors() - before]).toEqual([status, code, 1]);
  });

  test('closes the connection of a response that fails half-way, so that clients detect the truncation', async () => {
    const server = createServer(app.set('env', 'test')).listen(0, '127.0.0.1');
    try {
      await expect(request(server).get('/half')).rejects.toThrow(/aborted|hang up|reset/);
    } finally {
      server.close();
    }
  });
});
