import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, book, each, type ApiCall, type Booked } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;
let booked: Booked;
const as = (name: string) => ({ Authorization: `Bearer ${name}-token-of-at-least-sixteen` });

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  const tokens = ['ann', 'bob'].map((name) => `${name}:${name}-token-of-at-least-sixteen`).join(',');
  replica = await startReplica({ env: { ...env, ADMIN_TOKEN: tokens } });
  const call = apiOf(replica.url);
  api = (method, path, body, headers) => call(method, path, body, { ...as('ann'), ...headers });
  booked = await book(api, 'commented');
});

test('comments say who wrote them and when, newest first, and go with their record', async () => {
  const path = `/line_items/${booked.lineItem}/comments`;
  for (const [name, text] of [
    ['ann', 'first'],
    ['bob', ' second '],
  ] as const) {
    const { status, body } = await api('POST', path, { text }, as(name));
    expect([status, body]).toEqual([201, { id: expect.any(Number), at: expect.any(String), actor: name, text: text.trim(), day: null }]);
  }
  const listed = (await api('GET', path)).body;
  expect(each(listed, 'text')).toEqual(['second', 'first']);
  expect(Date.parse(listed[0].at)).toBeGreaterThan(Date.now() - 60_000);
  expect((await api('GET', `${path}?limit=1&offset=1`)).body).toMatchObject([{ text: 'first' }]);
  expect((await api('GET', `/campaigns/${booked.campaign}/comments`)).body).toEqual([]);

  expect((await api('DELETE', `/comments/${listed[0].id}`)).status).toBe(404);
  expect((await api('DELETE', `/comments/${listed[1].id}`)).status).toBe(204);
  expect(each((await api('GET', path)).body, 'text')).toEqual(['second']);
  await api('DELETE', `/line_items/${booked.lineItem}`);
  expect((await api('GET', path)).status).toBe(404);
});

test('a comment about a day is a note for the charts', async () => {
  const path = `/campaigns/${booked.campaign}/comments`;
  expect((await api('POST', path, { text: 'Strike of printers', day: '2026-10-13' })).body).toMatchObject({ day: '2026-10-13' });
  expect((await api('GET', path)).body).toMatchObject([{ text: 'Strike of printers', day: '2026-10-13' }]);
  expect((await api('POST', path, { text: 'x', day: '2026-02-30' })).body.errors).toMatchObject([{ pointer: '/day' }]);
});

test('a comment without words, or on nothing, is refused', async () => {
  const path = `/campaigns/${booked.campaign}/comments`;
  for (const body of [{}, { text: '  ' }, { text: 'x'.repeat(4_001) }, []])
    expect((await api('POST', path, body)).body).toMatchObject({ status: 400 });
  expect((await api('POST', path, { text: '  ' })).body.errors).toEqual([{ pointer: '/text', detail: 'must not be empty' }]);
  expect((await api('POST', '/campaigns/9999/comments', { text: 'x' })).status).toBe(404);
  expect((await api('GET', '/campaigns/x/comments')).status).toBe(404);
});
