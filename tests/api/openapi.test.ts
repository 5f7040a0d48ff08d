import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { browse } from '../../testkit/person.ts';
import { untilTrue } from '../../testkit/until.ts';
import { ENTITIES } from '../../src/catalog/entities/entities.ts';
import { AD_REQUEST_SCHEMA } from '../../src/http/openrtb/ad-request-schema.ts';
import { startBrowser } from '../browser/setup/start-browser.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, askForAd, book, type ApiCall, type Booked, type Json } from './api-client.ts';

const TOKEN = 'the-token-of-the-page';
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

let replica: Replica;
let api: ApiCall;
let booked: Booked;
let document: Json;

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: `tester:${TOKEN}` };
  replica = await startReplica({ env });
  const call = apiOf(replica.url);
  api = (method, path, body, headers) => call(method, path, body, { Authorization: `Bearer ${TOKEN}`, ...headers });
  document = (await api('GET', '/openapi.json')).body;
  booked = await book(api, 'described', { daily_impression_cap: 5, frequency_cap: 2, pacing: 'Even' });
});

const operations = (): [string, string, Json][] =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method): [string, string, Json] => [method.toUpperCase(), path, item[method]]),
  );

test('is OpenAPI 3.1, with no dangling reference, and every operation describes a successful answer', () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  const text = JSON.stringify(document);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) expect(document.components.schemas).toHaveProperty(name!);
  expect(operations().length).toBeGreaterThan(40);
  for (const [method, path, { responses, summary }] of operations()) {
    expect([method, path, Object.keys(responses).some((status) => /^[23]/.test(status)), typeof summary]).toEqual([
      method,
      path,
      true,
      'string',
    ]);
    for (const [, name] of path.matchAll(/\{(\w+)\}/g))
      expect(JSON.stringify(document.paths[path].parameters)).toContain(`"name":"${name}"`);
  }
});

test('every operation has a unique operationId of a verb and a noun', () => {
  const ids = operations().map(([, , { operationId }]): string => operationId);
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  const idOf = (method: string, path: string): string => document.paths[path][method].operationId;
  expect([idOf('get', '/api/publishers'), idOf('post', '/api/publishers/{id}/rotate_key')]).toEqual([
    'listPublishers',
    'rotatePublisherKey',
  ]);
  expect([idOf('patch', '/api/line_items/{id}'), idOf('post', '/api/creatives/{id}/unblock')]).toEqual([
    'updateLineItem',
    'unblockCreative',
  ]);
});

test('describes bodies by the schemas that check them', () => {
  const { Publisher, Placement, Advertiser, Campaign, LineItem, Creative, AdRequest } = document.components.schemas;
  for (const [described, checked] of [
    [Publisher, ENTITIES.publishers.schema],
    [Placement, ENTITIES.placements.schema],
    [Advertiser, ENTITIES.advertisers.schema],
    [Campaign, ENTITIES.campaigns.schema],
    [LineItem, ENTITIES.line_items.schema],
    [Creative, ENTITIES.creatives.schema],
  ]) {
    const written = Object.entries<Json>(described.properties).filter(([, { readOnly }]) => !readOnly);
    const { id, ...properties } = JSON.parse(JSON.stringify(checked.properties));
    expect(Object.fromEntries(written)).toEqual(checked === ENTITIES.placements.schema ? { id, ...properties } : properties);
    expect([described.required, described.additionalProperties]).toEqual([checked.required, false]);
  }
  const { $id: _, ...adRequest } = JSON.parse(JSON.stringify(AD_REQUEST_SCHEMA));
  // The document says in words that OpenRTB's other fields are accepted.
  const said = JSON.parse(JSON.stringify(AdRequest), (_name, value) => {
    if (value?.additionalProperties === true) delete value.additionalProperties;
    return value;
  });
  expect(said).toEqual(adRequest);
});

test('the linter of Redocly finds nothing, with its recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const all = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  // Browsers that sign in are always sent on.
  const isRedirect = (pointer = '') => /^#\/paths\/~1auth~1(login|callback)/.test(pointer);
  const found = all.filter(({ ruleId, location }) => ruleId !== 'operation-2xx-response' || !isRedirect(location[0]?.pointer));
  expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

/** Every body of the document: [where, media type object]. */
const bodies = (): [string, Json][] =>
  operations().flatMap(([method, path, { requestBody, responses }]) =>
    Object.entries<Json>({ request: requestBody, ...responses }).flatMap(([which, body]) =>
      Object.entries<Json>(body?.content ?? {})
        .filter(([type]) => /[/+]json$/.test(type) && path !== '/api/openapi.json')
        .map(([, content]): [string, Json] => [`${method} ${path} ${which}`, content]),
    ),
  );

test('every JSON body has an example, and each matches its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'https://api.test/', ...document });
  expect(bodies().length).toBeGreaterThan(100);
  for (const [where, { schema, example, examples }] of bodies()) {
    const values = examples ? Object.values<Json>(examples).map(({ value }) => value) : [example];
    const valid = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://api.test/#/')));
    for (const value of values) expect([where, value !== undefined && (valid(value) || valid.errors)]).toEqual([where, true]);
  }
});

test('bodies are closed but for OpenRTB, and the service refuses a field that the document does not have', async () => {
  const open = new Set(['AdRequest', 'AuctionRequest', 'FlatAdRequest', 'TestAdRequest', 'BidRequest']);
  const named = bodies()
    .filter(([where]) => where.endsWith(' request'))
    .flatMap(([, { schema }]) => (schema.anyOf ?? [schema]) as { readonly $ref: string }[])
    .map(({ $ref }) => $ref.split('/').at(-1) ?? '');
  for (const name of named.filter((each) => !open.has(each)))
    expect([name, document.components.schemas[name].additionalProperties]).toEqual([name, false]);
  const unknown = { pointer: '/surprise', detail: 'is not a known field' };
  for (const [method, path, body] of [
    ['POST', '/explain', { request: {}, line_item_id: 1 }],
    ['POST', '/debug_grants', { publisher_id: booked.publisher.id }],
    ['PATCH', `/campaigns/${booked.campaign}`, {}],
  ] as const) {
    const answer = await api(method, path, { ...body, surprise: 1 });
    expect([path, answer.status, answer.body.errors]).toEqual([path, 400, expect.arrayContaining([unknown])]);
  }
  const report = await fetch(`${replica.url}/report`, { method: 'POST', body: '{"token":"t","reason":"other","surprise":1}' });
  expect([report.status, (await report.json()).errors]).toEqual([400, [unknown]]);
});

test('the service implements every path and method of the document', async () => {
  for (const [method, path] of operations()) {
    const url = `${replica.url}${path.replace('{id}', '2147483647')}`;
    const answer = await fetch(url, { method, headers: { Authorization: `Bearer ${TOKEN}` }, redirect: 'manual' });
    const body = await answer.text();
    expect([method, path, answer.status, body]).not.toEqual([method, path, 405, expect.anything()]);
    expect([method, path, body]).not.toEqual([method, path, expect.stringContaining('No resource has this path')]);
  }
});

test('answers match their schemas', async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'https://api.test/', ...document });
  const expectAnswer = (path: string, method: string, status: number, body: unknown): void => {
    const steps = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema'];
    const pointer = steps.map((step) => '/' + encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('');
    const valid = ajv.compile({ $ref: `https://api.test/#${pointer}` });
    expect([path, valid(body) || valid.errors]).toEqual([path, true]);
  };
  const ad = await askForAd(replica.url, booked);
  expectAnswer('/ad', 'post', 200, ad.body);
  const [{ impurl }] = ad.body.seatbid[0].bid;
  await browse(`${replica.url}${impurl}`);
  const token = new URL(impurl, replica.url).searchParams.get('t');
  const reported = await fetch(`${replica.url}/report`, { method: 'POST', body: JSON.stringify({ token, reason: 'other' }) });
  expectAnswer('/report', 'post', 201, await reported.json());

  const ids = { publishers: booked.publisher.id, placements: booked.placement, campaigns: booked.campaign, line_items: booked.lineItem };
  for (const [kind, id] of Object.entries({ ...ids, creatives: booked.creative })) {
    expectAnswer(`/api/${kind}`, 'get', 200, (await api('GET', `/${kind}`)).body);
    expectAnswer(`/api/${kind}/{id}`, 'get', 200, (await api('GET', `/${kind}/${id}?include=counts`)).body);
  }
  const created = await api('POST', '/publishers', { name: 'p', domain: 'p.example' });
  expectAnswer('/api/publishers', 'post', 201, created.body);
  expectAnswer('/api/line_items/{id}/delivery', 'get', 200, (await api('GET', `/line_items/${booked.lineItem}/delivery`)).body);
  expectAnswer('/api/campaigns/{id}/report', 'get', 200, (await api('GET', `/campaigns/${booked.campaign}/report`)).body);
  expectAnswer('/api/complaints', 'get', 200, (await api('GET', '/complaints')).body);
  expectAnswer('/api/reports/fields', 'get', 200, (await api('GET', '/reports/fields')).body);
  const report = await api('GET', '/reports?group_by=day,placement,reason&metrics=requests,fill_rate,impressions,revenue');
  expectAnswer('/api/reports', 'get', 200, report.body);
  const saved = { name: 'Days', query: 'group_by=day', schedule: { every: 'week', webhook: 'https://gazette.example/reports' } };
  const stored = await api('POST', '/saved_reports', saved);
  expectAnswer('/api/saved_reports', 'post', 201, stored.body);
  expectAnswer('/api/saved_reports/{id}', 'put', 200, (await api('PUT', `/saved_reports/${stored.body.id}`, stored.body)).body);
  expectAnswer('/api/saved_reports', 'get', 200, (await api('GET', '/saved_reports')).body);
  const payer = (await api('POST', '/advertisers', { name: 'Boots' })).body.id;
  const link = await api('POST', '/report_links', { advertiser_id: payer, query: 'group_by=day' });
  expectAnswer('/api/report_links', 'post', 201, link.body);
  await api('PUT', '/alert_mutes', { kind: 'ends_soon', days: 7 });
  expectAnswer('/api/alert_mutes', 'get', 200, (await api('GET', '/alert_mutes')).body);
  expectAnswer(
    '/api/alert_recipients',
    'post',
    201,
    (await api('POST', '/alert_recipients', { webhook: 'https://gazette.example/a' })).body,
  );
  expectAnswer('/api/alerts', 'get', 200, (await api('GET', '/alerts')).body);
  const month = { publisher_id: booked.publisher.id, month: '2026-01' };
  expectAnswer('/api/finance/close', 'post', 201, (await api('POST', '/finance/close', month)).body);
  expectAnswer('/api/finance/open', 'get', 200, (await api('GET', '/finance/open')).body);
  expectAnswer('/api/finance', 'get', 200, (await api('GET', `/finance?publisher_id=${month.publisher_id}&month=2999-01`)).body);
  expectAnswer('/api/audit', 'get', 200, (await api('GET', '/audit')).body);
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
  const uploaded = await fetch(`${replica.url}/api/assets`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${TOKEN}` },
    body: picture,
  });
  expectAnswer('/api/assets', 'put', 201, await uploaded.json());
  expectAnswer('/api/assets', 'get', 200, (await api('GET', '/assets')).body);
  const request = { id: 'r', imp: [{ id: '1', tagid: 'described' }], user: { id: 'u' }, ext: { publisher_id: booked.publisher.id } };
  const explained = await api('POST', '/explain', { request, line_item_id: booked.lineItem });
  expect(explained.body.creatives[0].limits).toHaveProperty('pacing');
  expectAnswer('/api/explain', 'post', 200, explained.body);
});

test('the API page asks for the token, then lists every operation, and loads nothing from another origin', async () => {
  const page = await (await startBrowser()).newPage();
  const foreign: string[] = [];
  const faults: string[] = [];
  page.on(
    'request',
    (request) => void (request.url().startsWith(replica.url) || request.url().startsWith('data:') || foreign.push(request.url())),
  );
  page.on('console', (message) => void (message.type() === 'error' && !message.text().includes('401') && faults.push(message.text())));
  await page.goto(`${replica.url}/static/api/`);
  await page.locator('input[name=token]').fill(TOKEN);
  await page.locator('#token button').click();
  // Of a long document the viewer draws the operations that are in view.
  const drawn = page.locator('.opblock');
  await drawn.first().waitFor();
  const seen = new Set<string>();
  await untilTrue(
    async () => {
      for (const id of await drawn.evaluateAll((blocks) => blocks.map((block) => block.id))) seen.add(id);
      await page.mouse.wheel(0, 400);
      return seen.size >= operations().length;
    },
    60_000,
    20,
  );
  expect(seen.size).toBe(operations().length);
  expect([foreign, faults]).toEqual([[], []]);
});
