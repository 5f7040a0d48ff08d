import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import type { WireImpTrace } from '../../src/http/openrtb/write-trace.ts';
import { apiOf, book, type ApiCall, type Booked, type Json } from '../api/api-client.ts';

interface Trace {
  readonly withheld?: string;
  readonly imps: readonly [WireImpTrace];
}

const TOKEN = 'a token of staff with more than 32 characters'.replaceAll(' ', '-');

let replica: Replica;
let api: ApiCall;
let booked: Booked;
let other: Booked;

beforeAll(async () => {
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  const development = await startReplica({ env: stores });
  await development.stop();
  const env = { ...stores, NODE_ENV: 'production', ADMIN_ENABLED: 'true', ADMIN_TOKEN: `staff:${TOKEN}` };
  replica = await startReplica({ env });
  const call = apiOf(replica.url);
  api = (method, path, body, headers) => call(method, path, body, { Authorization: `Bearer ${TOKEN}`, ...headers });
  booked = await book(api, 'traced');
  other = await book(api, 'elsewhere');
  const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
  const rival = { campaign_id: booked.campaign, name: 'Rival', active: true, ...flight };
  for (const fields of [
    { cpm: 1.25, priority: 3 },
    { cpm: 9, budget: 0 },
    { cpm: 9, targeting: { countries: ['JP'] } },
  ]) {
    const { id } = (await api('POST', '/line_items', { ...rival, ...fields })).body;
    await api('POST', '/creatives', { placement_id: 'traced', line_item_id: id, format: 'html', content: '<b>rival</b>' });
  }
});

const traceOf = async (query: string, { publisher, placement } = booked): Promise<Trace | undefined> => {
  const body = { id: 'r', imp: [{ id: '1', tagid: placement }], user: { id: 'u' }, ext: { publisher_id: publisher.id } };
  const headers = { 'X-API-Key': publisher.api_key };
  const answer = await fetch(`${replica.url}/ad${query}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await answer.json()) as { debug?: { trace: Trace } }).debug?.trace;
};

const grantFor = async ({ publisher }: Booked): Promise<Json> => (await api('POST', '/debug_grants', { publisher_id: publisher.id })).body;

test('in production, a trace without a grant has ids, stages and reasons, but no figures of competing line items', async () => {
  const trace = (await traceOf('?debug=1'))!;
  expect(trace.withheld).toMatch(/debug_grant/);
  const [imp] = trace.imps;
  expect(imp.winner).toMatchObject({ line_item_id: booked.lineItem, price: 2.5 });
  expect(imp.steps.map(({ stage }) => stage)).toEqual(['booked', 'format and size', 'flight', 'targeting', 'consent', 'limits']);
  const rejected = imp.steps.flatMap((step) => step.rejected);
  expect(rejected.map(({ nbr, reason, detail }) => [nbr, reason, detail])).toEqual([
    [503, 'targeting', 'the request does not match the targeting'],
    [504, 'budget_spent', 'the budget is spent or reserved'],
  ]);
  for (const ranked of imp.ranking) expect(Object.keys(ranked)).toEqual(['creative_id', 'line_item_id']);
  expect(JSON.stringify(trace)).not.toMatch(/ecpm|priority|JP|USD|1\.25|Rival/);
});

test('a debug grant of the publisher shows the figures; no grant, a wrong one and that of another publisher do not', async () => {
  const { token, url, expires } = await grantFor(booked);
  expect(url).toBe(`/ad?debug=1&debug_grant=${token}`);
  expect(Date.parse(expires) - Date.now()).toBeLessThanOrEqual(3_600_000);
  expect(Date.parse(expires) - Date.now()).toBeGreaterThan(3_500_000);
  const trace = (await traceOf(String(url).slice('/ad'.length)))!;
  expect(trace.withheld).toBeUndefined();
  expect(trace.imps[0].ranking).toContainEqual(expect.objectContaining({ line_item_id: booked.lineItem, priority: 2, ecpm: 2.5 }));
  expect(JSON.stringify(trace.imps[0].steps)).toMatch(/JP/);

  const foreign = (await grantFor(other)).token;
  for (const grant of [foreign, 'x', '']) expect((await traceOf(`?debug=1&debug_grant=${grant}`))?.withheld).toBeDefined();
  expect(await traceOf(`?debug_grant=${token}`)).toBeUndefined();
});

test('issuing a grant needs the admin token and a publisher, and the audit trail names who issued it', async () => {
  expect((await apiOf(replica.url)('POST', '/debug_grants', { publisher_id: booked.publisher.id })).status).toBe(401);
  for (const body of [{}, { publisher_id: '1' }, { publisher_id: 999 }])
    expect((await api('POST', '/debug_grants', body)).body).toMatchObject({ status: 400, errors: [{ pointer: '/publisher_id' }] });
  expect((await api('POST', '/debug_grants', [])).body).toMatchObject({
    status: 400,
    errors: [{ pointer: '', detail: 'must be an object' }],
  });
  await grantFor(booked);
  const { body } = await api('GET', '/audit?action=grant_debug&limit=1');
  expect(body).toMatchObject([{ actor: 'staff', entity: 'publisher', entity_id: String(booked.publisher.id) }]);
});
