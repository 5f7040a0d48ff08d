import express from 'express';
import request from 'supertest';
import { problem, sendProblem } from '../../src/http/problems/problem.ts';
import { sendRequestId } from '../../src/http/request/request-id.ts';

const app = express();
app.get('/refused', (_req, res) => sendProblem(res, problem('not_found', 'Nothing.')));
app.get('/answered', sendRequestId, (_req, res) => void res.json({}));

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-00`;

const idsOf = async (headers: Readonly<Record<string, string>>) => {
  const answered = await request(app).get('/answered').set(headers);
  const refused = await request(app).get('/refused').set(headers);
  const inBody = (JSON.parse(refused.text) as { request_id: string }).request_id;
  expect(refused.headers['x-request-id']).toBe(inBody);
  return [answered.headers['x-request-id'], inBody] as const;
};

test('answers and problems carry the id that the client chose', async () => {
  expect(await idsOf({ 'X-Request-Id': 'order-81:page_2.a', traceparent: TRACEPARENT })).toEqual([
    'order-81:page_2.a',
    'order-81:page_2.a',
  ]);
});

test('without one they carry the trace id of the traceparent', async () => {
  expect(await idsOf({ traceparent: TRACEPARENT })).toEqual([TRACE_ID, TRACE_ID]);
});

test.each([
  ['an id that is too long', { 'X-Request-Id': 'x'.repeat(129) }],
  ['an address of a user', { 'X-Request-Id': 'ann@example.com' }],
  ['text for the log', { 'X-Request-Id': 'a","level":"error' }],
  ['a trace id of zeros', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }],
  ['a malformed traceparent', { traceparent: `00-${TRACE_ID}` }],
  ['nothing', {}],
])('%s gives each answer a new id', async (_, headers) => {
  const [answered, refused] = await idsOf(headers);
  expect(answered).toMatch(UUID);
  expect(refused).toMatch(UUID);
  expect(answered).not.toBe(refused);
});
