import { Ajv2020 } from 'ajv/dist/2020.js';
import { ENTITY_TABLES } from '../../src/catalog/entities/entities.ts';
import { BROWSER_HEADERS } from '../../testkit/person.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import type { Json } from './api-client.ts';
import { operationsOf, REFUSED, walkProgram } from './documented-walk.ts';
import { openClientFolder } from './generated-client.ts';

const TOKEN = 'the-token-of-the-generated-clients';

let document: Json;
let clients: Awaited<ReturnType<typeof openClientFolder>>;

const FLIGHT = `{ start_date: '2026-01-01', end_date: '2999-12-31' }`;
const BOOKED = {
  publisher: `{ name: 'The Gazette', domain: 'gazette.example' }`,
  placement: (id: string) => `{ id: '${id}', publisher_id: must(publisher.id), width: 300, height: 250, formats: ['html'] }`,
  campaign: `{ publisher_id: must(publisher.id), name: 'c', ...${FLIGHT} }`,
  lineItem: `{ campaign_id: must(campaign.id), active: false, ...${FLIGHT} }`,
  creative: (placement: string) =>
    `{ placement_id: '${placement}', line_item_id: must(lineItem.id), format: 'html', content: '<b>ad</b>' }`,
  request: (placement: string) =>
    `{ id: 'r', imp: [{ id: '1', tagid: '${placement}' }], user: { id: 'u' }, site: { page: 'https://gazette.example/' },
      ext: { publisher_id: must(publisher.id) } }`,
};
const PRELUDE = `
const { API = '', TOKEN } = process.env;
const headers = ${JSON.stringify(BROWSER_HEADERS)};
const must = <T>(value: T | undefined): T => { if (value === undefined) throw new Error('refused'); return value; };
const until = async <T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> => {
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const tokenIn = (url: string): string => must(new URL(url, API).searchParams.get('t') ?? undefined);`;
const PRINT = `console.log(JSON.stringify({ publisher: publisher.name, active: changed.active,
  refused: [error?.status, error?.code, error?.errors?.[0]?.pointer], bids: ad.seatbid.length,
  counted: [delivery.today.serves, delivery.today.impressions, delivery.today.spend], reported: report.rows }));`;
const OUTCOME = {
  ...{ publisher: 'The Gazette', active: true, refused: [400, 'invalid_request', '/cpm'], bids: 1, counted: [1, 1, 0.0025] },
  reported: [{ campaign_id: expect.any(Number), campaign: 'c', impressions: 1, revenue: 0.0025 }],
};

/** A client of openapi-typescript and openapi-fetch. */
const OPENAPI_FETCH = `import createClient from 'openapi-fetch';
  import type { paths } from './schema';
  ${PRELUDE}
  const client = createClient<paths>({ baseUrl: API, headers: { ...headers, Authorization: 'Bearer ' + TOKEN } });
  const publisher = must((await client.POST('/api/publishers', { body: ${BOOKED.publisher} })).data);
  must((await client.POST('/api/placements', { body: ${BOOKED.placement('by-fetch')} })).data);
  const campaign = must((await client.POST('/api/campaigns', { body: ${BOOKED.campaign} })).data);
  const item = ${BOOKED.lineItem};
  const lineItem = must((await client.POST('/api/line_items', { body: { ...item, cpm: 2.5 } })).data);
  must((await client.POST('/api/creatives', { body: ${BOOKED.creative('by-fetch')} })).data);
  const path = { id: must(lineItem.id) };
  const changed = must((await client.PATCH('/api/line_items/{id}', { params: { path }, body: { active: true, name: null },
    headers: { 'Content-Type': 'application/merge-patch+json' } })).data);
  const { error } = await client.POST('/api/line_items', { body: item });
  const ad = must((await client.POST('/ad', { headers: { 'X-API-Key': must(publisher.api_key) }, body: ${BOOKED.request('by-fetch')} })).data);
  const query = { t: tokenIn(must(ad.seatbid[0]?.bid[0]).impurl) };
  await client.GET('/impression', { params: { query }, parseAs: 'arrayBuffer' });
  const readDelivery = async () => must((await client.GET('/api/line_items/{id}/delivery', { params: { path } })).data);
  const delivery = await until(readDelivery, ({ today }) => today.impressions > 0);
  const asked = { group_by: ['campaign' as const], metrics: ['impressions' as const, 'revenue' as const],
    'filter[publisher]': String(publisher.id) };
  const readReport = async () => {
    const answer = must((await client.GET('/api/reports', { params: { query: asked } })).data);
    // CSV and Excel are texts to the client.
    if (typeof answer === 'string') throw new Error('no JSON');
    return answer;
  };
  const report = await until(readReport, ({ rows }) => rows.length > 0);
  ${PRINT}`;

/** A client of @hey-api/openapi-ts. */
const HEY_API = `import { client } from './generated/client.gen';
  import * as api from './generated';
  ${PRELUDE}
  let key: string | undefined;
  client.setConfig({ baseUrl: API, headers, auth: ({ type }) => (type === 'apiKey' ? key : TOKEN) });
  const publisher = must((await api.createPublisher({ body: ${BOOKED.publisher} })).data);
  key = publisher.api_key;
  must((await api.createPlacement({ body: ${BOOKED.placement('by-hey-api')} })).data);
  const campaign = must((await api.createCampaign({ body: ${BOOKED.campaign} })).data);
  const item = ${BOOKED.lineItem};
  const lineItem = must((await api.createLineItem({ body: { ...item, cpm: 2.5 } })).data);
  must((await api.createCreative({ body: ${BOOKED.creative('by-hey-api')} })).data);
  const path = { id: must(lineItem.id) };
  const changed = must((await api.updateLineItem({ path, body: { active: true, name: null } })).data);
  const { error } = await api.createLineItem({ body: item });
  const ad = must((await api.requestAd({ body: ${BOOKED.request('by-hey-api')} })).data);
  await api.trackImpression({ query: { t: tokenIn(must(ad.seatbid[0]?.bid[0]).impurl) } });
  const delivery = await until(async () => must((await api.getLineItemDelivery({ path })).data), ({ today }) => today.impressions > 0);
  const query = { group_by: ['campaign' as const], metrics: ['impressions' as const, 'revenue' as const],
    'filter[publisher]': String(publisher.id) };
  const report = await until(async () => must((await api.getReport({ query })).data), ({ rows }) => rows.length > 0);
  ${PRINT}`;

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: `tester:${TOKEN}` };
  // Some examples name recipients of mails.
  const replica = await startReplica({ env: { ...env, SMTP_URL: 'smtp://127.0.0.1:1' } });
  const answer = await fetch(`${replica.url}/api/openapi.json`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  document = await answer.json();
  clients = await openClientFolder(document, { API: replica.url, TOKEN });
  await Promise.all([
    clients.runProgram('openapi-typescript/bin/cli.js', 'openapi.json', '--default-non-nullable=false', '-o', 'schema.d.ts'),
    clients.runProgram(
      '@hey-api/openapi-ts/bin/run.js',
      ...['-i', 'openapi.json', '-o', 'generated', '-c', '@hey-api/client-fetch', '--no-log-file'],
    ),
  ]);
  const walk = walkProgram(document, BROWSER_HEADERS, ENTITY_TABLES);
  await clients.compile({ walk, 'openapi-fetch-client': OPENAPI_FETCH, 'hey-api-client': HEY_API });
});

test('a client walks every operation of the document with its examples, every answer is as the document describes it, and a POST with an Idempotency-Key is carried out once', async () => {
  const answers: Readonly<Record<string, Json>> = await clients.run('walk');
  const operations = operationsOf(document);
  const refused = Object.entries(answers).filter(([id, { status }]) =>
    REFUSED[id] === undefined ? status < 200 || status >= 400 : status !== REFUSED[id],
  );
  expect(refused).toEqual([]);
  expect(Object.keys(answers).toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted());
  const keyed = operations.filter(({ operationId, isKeyed }) => isKeyed && REFUSED[operationId] === undefined);
  expect(keyed.map(({ operationId }) => [operationId, answers[operationId].isReplayed])).toEqual(
    keyed.map(({ operationId }) => [operationId, true]),
  );
  expect(keyed.length).toBeGreaterThan(35);
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'https://api.test/', ...document });
  let checked = 0;
  for (const { operationId, path, method } of operations) {
    const { status, data } = answers[operationId];
    const { responses } = document.paths[path][method];
    expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining([String(status)])]);
    if (!responses[status].content?.['application/json']) continue;
    const steps = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema'];
    const pointer = steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
    const isValid = ajv.compile({ $ref: `https://api.test/#${pointer}` });
    expect([operationId, isValid(data) || isValid.errors]).toEqual([operationId, true]);
    checked++;
  }
  expect(checked).toBeGreaterThan(70);
});

test('a client of openapi-typescript and openapi-fetch compiles under --strict, books, serves and counts an ad, and reads its report', async () => {
  expect(await clients.run('openapi-fetch-client')).toEqual(OUTCOME);
});

test('a client of @hey-api/openapi-ts compiles under --strict, books, serves and counts an ad, and reads its report', async () => {
  expect(await clients.run('hey-api-client')).toEqual(OUTCOME);
});
