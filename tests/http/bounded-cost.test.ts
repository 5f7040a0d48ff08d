import { insertRow, withKnex } from '../../testkit/book.ts';
import { MAX_PAGE_BYTES } from '../../src/api/page-of-rows.ts';
import { MAX_REPORTS_PER_CLIENT, MAX_REPORTS_PER_TOKEN } from '../../src/tracking/report-limit.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, book, serveAd, type ApiCall, type Booked } from '../api/api-client.ts';

let replica: Replica;
let databaseUrl: string;
let api: ApiCall;
let booked: Booked;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
  booked = await book(api, 'top');
});

test('a patch that is nested 30,000 deep is refused', async () => {
  const deep = `${'{"targeting":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
  expect(await api('PATCH', `/line_items/${booked.lineItem}`, deep)).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
});

test('a body of many lists in lists is refused, although it has few commas', async () => {
  const nested = Array.from({ length: 1_400 }, () => `${'['.repeat(20)}${']'.repeat(20)}`);
  const body = `{"id":"1","source":{"ext":[${nested.join()}]}}`;
  const answer = await fetch(`${replica.url}/openrtb2/auction`, { method: 'POST', body });
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'invalid_json' }]);
});

test('an auction that asks for a trace may have 64 KiB instead of 128, and writes in bulk a MiB', async () => {
  const sent = async (path: string, bytes: number): Promise<unknown> => {
    const body = JSON.stringify({ id: '1', imp: [{ id: '1' }], operations: [] }).padEnd(bytes);
    const answer = await fetch(`${replica.url}${path}`, { method: 'POST', headers: { 'X-API-Key': booked.publisher.api_key }, body });
    return answer.status === 413 ? ((await answer.json()) as { readonly code: string }).code : answer.status;
  };
  const [auction, traced] = ['/openrtb2/auction', '/openrtb2/auction?debug=1'];
  expect([await sent(auction, 131_072), await sent(auction, 131_073)]).toEqual([200, 'body_too_large']);
  expect([await sent(traced, 65_536), await sent(traced, 65_537)]).toEqual([200, 'body_too_large']);
  expect([await sent('/api/bulk', 1_048_576), await sent('/api/bulk', 1_048_577)]).toEqual([400, 'body_too_large']);
});

test('what anyone may send to sign in has at most 16 KiB and 100 values', async () => {
  const send = async (body: string): Promise<unknown> => {
    const answer = await fetch(`${replica.url}/auth/sign_in`, { method: 'POST', body });
    return ((await answer.json()) as { readonly code: string }).code;
  };
  const known = JSON.stringify({ email: 'someone@gazette.example', password: 'x' });
  expect([await send(known.padEnd(16_384)), await send(known.padEnd(16_385))]).toEqual(['sign_in_failed', 'body_too_large']);
  const members = Array.from({ length: 200 }, (_, i) => `"member_${i}":1`).join();
  expect(await send(`{${members}}`)).toBe('invalid_json');
});

test('a body of many members is refused before they are checked', async () => {
  const crowded = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, [i]])));
  expect(await api('PATCH', `/campaigns/${booked.campaign}`, crowded)).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
});

test('lists page by bytes: every answer is bounded, and the links lead through all of them', async () => {
  const content = 'x'.repeat(250_000);
  for (let i = 0; i < 20; i++)
    await api('POST', '/creatives', { placement_id: 'top', line_item_id: booked.lineItem, format: 'html', content });
  for (const list of ['/creatives', '/audit?limit=1000']) {
    const ids: number[] = [];
    let next: string | undefined = list;
    let pages = 0;
    while (next !== undefined) {
      const { body, headers }: Awaited<ReturnType<ApiCall>> = await api('GET', next);
      expect(JSON.stringify(body).length).toBeLessThan(MAX_PAGE_BYTES + 600_000);
      ids.push(...(body as { id: number }[]).map(({ id }) => id));
      next = /<\/api(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      pages++;
    }
    expect(pages).toBeGreaterThan(3);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(21);
  }
  const { body, headers } = await api('GET', '/creatives?limit=2');
  expect([body.length, headers.get('x-total-count')]).toEqual([2, '21']);
  expect((await api('GET', '/publishers')).headers.get('link')).toBeNull();
});

test('a client may send a bounded number of quality reports in an hour', async () => {
  const send = async (token: string, from: string): Promise<Response> =>
    fetch(`${replica.url}/report`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': from },
      body: JSON.stringify({ token, reason: 'other' }),
    });
  const token = async (): Promise<string> => {
    const { impurl } = await serveAd(replica.url, booked);
    return String(new URL(impurl as string, replica.url).searchParams.get('t'));
  };
  for (let i = 0; i < MAX_REPORTS_PER_CLIENT; i++) expect((await send(await token(), '203.0.113.7')).status).toBe(201);
  const refused = await send(await token(), '203.0.113.7');
  expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'application/problem+json']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600);
  expect((await send(await token(), '203.0.113.8')).status).toBe(201);

  const repeated = await token();
  const answers: number[] = [];
  // Within one /64 a client has as many addresses as it likes.
  for (let i = 0; i <= MAX_REPORTS_PER_TOKEN; i++) answers.push((await send(repeated, `203.0.113.${100 + i}`)).status);
  expect(answers).toEqual([...Array.from({ length: MAX_REPORTS_PER_TOKEN }, () => 201), 429]);
  const ofPrefix: number[] = [];
  for (let i = 0; i <= MAX_REPORTS_PER_CLIENT; i++) ofPrefix.push((await send(await token(), `2001:db8::${i + 1}`)).status);
  expect(ofPrefix.at(-1)).toBe(429);
});

test('the answer of a traced request with 20 impressions and thousands of bookings is bounded, and says what it leaves out', async () => {
  const many = await book(api, 'crowded', { targeting: { countries: ['NZ'] } });
  await withKnex(databaseUrl, async (knex) => {
    const flight = { start_at: new Date('2026-01-01'), end_at: new Date('2099-01-01') };
    for (let i = 0; i < 300; i++) {
      const item = { campaign_id: many.campaign, name: 'x', active: true, ...flight, cpm_micros: 1_000_000, priority: 2 };
      const targeting = JSON.stringify({ countries: ['DE', 'FR', 'IT', 'ES', 'PT'] });
      const id = await insertRow(knex, 'line_items', { ...item, targeting });
      await insertRow(knex, 'creatives', { placement_id: 'crowded', line_item_id: id, format: 'html', content: '<b>ad</b>' });
    }
  });
  await fetch(`${replica.url}/reload`, { method: 'POST' });
  const imp = Array.from({ length: 20 }, (_, i) => ({ id: String(i), tagid: 'crowded' }));
  const answer = await fetch(`${replica.url}/ad?debug=1`, {
    method: 'POST',
    headers: { 'X-API-Key': many.publisher.api_key },
    body: JSON.stringify({ id: 'r', imp, user: { id: 'u' }, ext: { publisher_id: many.publisher.id } }),
  });
  const text = await answer.text();
  expect([answer.status, text.length < 64 * 1024]).toEqual([200, true]);
  const { imps } = JSON.parse(text).debug.trace as { imps: { steps: { creative_ids: number[] }[]; left_out: number }[] };
  for (const { steps, left_out } of imps) expect((steps[0]?.creative_ids.length ?? 0) + left_out).toBe(301);
  expect(imps[0]?.steps[0]?.creative_ids.length).toBeGreaterThan(0);
});
