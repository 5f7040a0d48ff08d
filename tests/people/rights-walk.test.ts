import knexFactory, { type Knex } from 'knex';
import { permissionsOf, ROLE_NAMES, type RoleName } from '../../src/access/permissions.ts';
import type { RouteDefinition } from '../../src/api/route.ts';
import { ENTITY_TABLES, type EntityTable } from '../../src/catalog/entities/entities.ts';
import { allRoutes } from '../../src/trafficking/trafficking-api.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { book, type ApiAnswer, type ApiCall, type Booked, type Json } from '../api/api-client.ts';
import { callWith, MACHINE, tokenOf } from './staff.ts';

const STAFF = Object.entries(allRoutes(['like'])).filter(([, { access = 'staff' }]) => access === 'staff');

/** Ids of the other publisher's records, so that none of them is in an answer by chance. */
const FIRST_FOREIGN_ID = 900_001;
/** Lists that can be narrowed to a publisher. */
const BELOW_PUBLISHERS: readonly EntityTable[] = ['placements', 'campaigns', 'line_items', 'creatives'];
const FOREIGN = /sesame|9000\d\d/i;

let replica: Replica;
let machine: ApiCall;
let knex: Knex;
/** By kind: of the callers' publisher, of the other one, and what both may know. */
let own: Readonly<Record<EntityTable, string | number>>;
let foreign: typeof own;
let shared: Readonly<Partial<Record<EntityTable, string | number>>>;
const tokens = new Map<string, ApiCall>();

/** Everything that a publisher has, with a word in every text. */
const furnish = async (word: string, placement: string): Promise<Booked & { readonly advertiser: number; readonly bidder: number }> => {
  const made = async (path: string, body: object): Promise<Json> => {
    const { status, body: answer } = await machine('POST', path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const booked = await book(machine, placement);
  const advertiser = (await made('/advertisers', { name: `${word} Boots`, domain: `${word}-boots.example` })).id;
  const bidder = (await made('/bidders', { name: `${word} exchange`, endpoint: `https://${word}.example/bid` })).id;
  await machine('PATCH', `/publishers/${booked.publisher.id}`, { name: `${word} Gazette`, domain: `${word}.example` });
  await machine('PATCH', `/campaigns/${booked.campaign}`, { name: `${word} autumn`, advertiser_id: advertiser });
  await machine('PATCH', `/line_items/${booked.lineItem}`, { name: `${word} line` });
  await machine('PATCH', `/creatives/${booked.creative}`, { name: `${word} creative`, content: `<b>${word}</b>` });
  await made('/line_items', {
    ...{ campaign_id: booked.campaign, name: `${word} demand`, type: 'programmatic', active: true, bidder_id: bidder },
    ...{ start_date: '2026-01-01', end_date: '2999-12-31' },
  });
  await made(`/campaigns/${booked.campaign}/comments`, { text: `${word} comment` });
  await made(`/line_items/${booked.lineItem}/comments`, { text: `${word} remark` });
  await made('/saved_reports', { name: `${word} report`, query: `filter[publisher]=${booked.publisher.id}` });
  await knex('reports').insert({
    ...{
      jti: `${word}-jti`,
      publisher_id: booked.publisher.id,
      line_item_id: booked.lineItem,
      creative_id: booked.creative,
      reason: 'other',
    },
  });
  const day = new Date().toISOString().slice(0, 10);
  await knex('report_days').insert({
    ...{ day, publisher_id: booked.publisher.id, campaign_id: booked.campaign, line_item_id: booked.lineItem, reason: '' },
    ...{ creative_id: booked.creative, placement_id: booked.placement, impressions: word === 'sesame' ? 900_077 : 41 },
  });
  return { ...booked, advertiser, bidder };
};

const idsOf = ({ publisher, placement, advertiser, bidder, campaign, lineItem, creative }: Awaited<ReturnType<typeof furnish>>) => ({
  ...{ publishers: publisher.id, placements: placement, advertisers: advertiser, bidders: bidder },
  ...{ campaigns: campaign, line_items: lineItem, creatives: creative },
});

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  replica = await startReplica({
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: await testRedisUrl(),
      NODE_ENV: 'production',
      ADMIN_ENABLED: 'true',
      ADMIN_TOKEN: MACHINE,
    },
  });
  machine = callWith(replica.url, MACHINE);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  const mine = await furnish('barley', 'barley-top');
  await machine('POST', '/placements', { id: 'open-to-all', width: 300, height: 250, formats: ['html'] });
  for (const table of ENTITY_TABLES.filter((one) => one !== 'placements'))
    await knex.raw(`alter table ${table} alter column id restart with ${FIRST_FOREIGN_ID}`);
  own = idsOf(mine);
  foreign = idsOf(await furnish('sesame', 'sesame-top'));
  shared = { placements: 'open-to-all', advertisers: mine.advertiser, bidders: mine.bidder };
  for (const role of ROLE_NAMES) {
    tokens.set(`${role} of one`, callWith(replica.url, await tokenOf(machine, `${role} of one`, [role], [mine.publisher.id])));
    tokens.set(`${role} of all`, callWith(replica.url, await tokenOf(machine, `${role} of all`, [role], null)));
  }
});
afterAll(() => knex.destroy());

const callerOf = (role: RoleName, reach: 'one' | 'all'): ApiCall => {
  const call = tokens.get(`${role} of ${reach}`);
  if (!call) throw new Error(`There is no token of ${role}.`);
  return call;
};

const tableOf = ({ path }: RouteDefinition): EntityTable | undefined =>
  ENTITY_TABLES.find((table) => path.startsWith(`/api/${table}/{id}`));

/**
 * Asks for a route in a way that changes nothing: rights are judged before the body and before If-Match, and both are
 * wrong here. Steps of a path that name no record of the catalog name nothing.
 */
const probe = (call: ApiCall, { method, path, body }: RouteDefinition, id: string | number = 2_000_000_000): Promise<ApiAnswer> => {
  const step = encodeURIComponent(String(id));
  const asked = path.replace('/api', '').replaceAll(/\{\w+\}/g, step);
  return call(method, asked, body && !body.raw ? '{' : undefined, method === 'GET' ? {} : { 'If-Match': '"another"' });
};

const isAllowed = ({ needs = 'sign_in', reach }: RouteDefinition, role: RoleName, isLimited: boolean): boolean =>
  (needs === 'sign_in' || permissionsOf([role]).has(needs)) && !(isLimited && reach === undefined);

/** An answer without what was asked. */
const said = ({ body }: ApiAnswer): string =>
  JSON.stringify(body?.instance === undefined ? body : { ...body, instance: '', request_id: '' });

test('every route of staff says what it needs', () => {
  expect(STAFF.length).toBeGreaterThan(100);
  expect(STAFF.filter(([, { needs }]) => needs === undefined)).toEqual([]);
});

test('every route × role: who has the permission may call it, for some publishers what reaches no further; all others get 403', async () => {
  let refused = 0;
  for (const [id, route] of STAFF)
    for (const role of ROLE_NAMES)
      for (const reach of ['one', 'all'] as const) {
        const { status, body } = await probe(callerOf(role, reach), route, tableOf(route) && own[tableOf(route)!]);
        const where = `${id} by a ${role} of ${reach}: ${status}`;
        expect([where, status === 401 || status >= 500]).toEqual([where, false]);
        if (isAllowed(route, role, reach === 'one')) {
          // What is shared with other publishers may be known of, and not be changed.
          const isShared = reach === 'one' && shared[tableOf(route) ?? 'campaigns'] === own[tableOf(route) ?? 'campaigns'];
          if (!isShared) expect([where, status === 403]).toEqual([where, false]);
        } else {
          refused++;
          expect([where, status, body.code]).toEqual([where, 403, 'forbidden']);
        }
      }
  expect(refused).toBeGreaterThan(300);
});

test('every route with a record in its path × role: another publisher’s answers exactly as one that does not exist', async () => {
  let walked = 0;
  for (const [id, route] of STAFF) {
    const table = tableOf(route);
    if (!table || route.reach !== 'own') continue;
    for (const role of ROLE_NAMES) {
      if (!isAllowed(route, role, true)) continue;
      const call = callerOf(role, 'one');
      const [others, nothing] = [await probe(call, route, foreign[table]), await probe(call, route)];
      const where = `${id} by a ${role}`;
      expect([where, others.status, others.body.code]).toEqual([where, 404, 'not_found']);
      expect([where, said(others)]).toEqual([where, said(nothing)]);
      const mine = await probe(call, route, own[table]);
      expect([where, mine.status === 404]).toEqual([where, false]);
      if (route.method === 'GET') expect([where, mine.status]).toEqual([where, 200]);
      walked++;
    }
  }
  expect(walked).toBeGreaterThan(60);
});

test('every route that reads × role: no answer for one publisher has a word or an id of the other', async () => {
  let read = 0;
  for (const [id, route] of STAFF.filter(([, { method }]) => method === 'GET'))
    for (const role of ROLE_NAMES) {
      const answer = await probe(callerOf(role, 'one'), route, tableOf(route) && own[tableOf(route)!]);
      const text = said(answer) + JSON.stringify([...answer.headers]);
      expect([`${id} by a ${role}`, FOREIGN.exec(text)?.[0]]).toEqual([`${id} by a ${role}`, undefined]);
      if (answer.status === 200) read++;
    }
  expect(read).toBeGreaterThan(80);
});

test('lists: searches, filters, ids, totals and counts of children have one’s own records alone', async () => {
  const call = callerOf('viewer', 'one');
  for (const table of ENTITY_TABLES) {
    const others = encodeURIComponent(String(foreign[table]));
    const narrow = [
      `q=sesame`,
      `q=${others}`,
      `id=${others}`,
      ...(BELOW_PUBLISHERS.includes(table) ? [`publisher_id=${foreign.publishers}`] : []),
    ];
    for (const query of narrow) {
      const { status, body, headers } = await call('GET', `/${table}?${query}`);
      expect([table, query, status, body, headers.get('x-total-count')]).toEqual([table, query, 200, [], '0']);
    }
    const all = await call('GET', `/${table}?include=children&archived=true&sort=-id`);
    const wanted = [own[table], ...(table === 'placements' ? ['open-to-all'] : [])];
    const listed = (all.body as { id: string | number }[]).map(({ id }) => id);
    expect([table, listed]).toEqual([table, expect.arrayContaining(wanted)]);
    expect([table, all.headers.get('x-total-count'), FOREIGN.test(said(all))]).toEqual([table, String(listed.length), false]);
  }
  const blocked = await machine('PATCH', `/publishers/${own.publishers}`, { blocked_advertiser_ids: [foreign.advertisers] });
  expect(blocked.status).toBe(200);
  const named = await call('GET', `/advertisers/${foreign.advertisers}?include=counts`);
  expect([named.status, named.body.counts]).toEqual([200, { campaigns: 0, line_items: 0, creatives: 0 }]);
  await machine('PATCH', `/publishers/${own.publishers}`, { blocked_advertiser_ids: [] });
});

test('statuses, complaints and reports: ids of the other publisher select nothing, and totals leave it out', async () => {
  const call = callerOf('viewer', 'one');
  const ids = `line_item_ids=${foreign.line_items},${own.line_items}&campaign_ids=${foreign.campaigns}`;
  const { body: statuses } = await call('GET', `/statuses?${ids}`);
  expect([Object.keys(statuses.line_items), statuses.campaigns]).toEqual([[String(own.line_items)], {}]);
  expect((await call('GET', `/complaints?line_item_id=${foreign.line_items}`)).body).toEqual([]);
  expect((await call('GET', '/complaints')).body).toHaveLength(1);

  const query = 'group_by=publisher,campaign&metrics=impressions&range=last_7_days';
  const { body: report } = await call('GET', `/reports?${query}`);
  expect([report.totals, report.row_count, report.filter]).toEqual([{ impressions: 41 }, 1, { publisher: [String(own.publishers)] }]);
  expect((await machine('GET', `/reports?${query}`)).body.totals).toEqual({ impressions: 900_118 });
  const csv = await call('GET', `/reports?${query}&format=csv`);
  expect([csv.status, /barley/.test(csv.body), FOREIGN.test(csv.body)]).toEqual([200, true, false]);
  for (const [dimension, table] of [
    ['publisher', 'publishers'],
    ['campaign', 'campaigns'],
    ['line_item', 'line_items'],
    ['creative', 'creatives'],
    ['placement', 'placements'],
    ['advertiser', 'advertisers'],
  ] as const) {
    const filtered = (id: string | number) => call('GET', `/reports?metrics=impressions&filter[${dimension}]=${id}`);
    const [others, nothing] = [await filtered(foreign[table]), await filtered(table === 'placements' ? 'no-such-place' : 2_000_000_000)];
    expect([dimension, others.status, said(others)]).toEqual([dimension, 400, said(nothing)]);
    expect([dimension, (await filtered(own[table])).status]).toEqual([dimension, 200]);
  }
});

test('statements, exports, explanations, tests of ads and traces: the other publisher is one that does not exist', async () => {
  const call = callerOf('administrator', 'one');
  const nothing = 2_000_000_000;
  const ad = (publisher: string | number) => ({
    id: 'r',
    imp: [{ id: '1', tagid: own.placements }],
    user: { id: 'u' },
    ext: { publisher_id: publisher },
  });
  const today = new Date().toISOString().slice(0, 10);
  const same: readonly (readonly [string, (publisher: string | number) => string, ((publisher: string | number) => object) | undefined])[] =
    [
      ['GET', (id) => `/finance?publisher_id=${id}&month=${today.slice(0, 7)}`, undefined],
      ['POST', () => '/finance/close', (publisher_id) => ({ publisher_id, month: '2026-01' })],
      ['POST', () => '/explain', (id) => ({ line_item_id: own.line_items, request: ad(id) })],
      ['POST', () => '/test_ad', ad],
      ['POST', () => '/debug_grants', (publisher_id) => ({ publisher_id })],
    ];
  for (const [method, pathOf, bodyOf] of same) {
    const [mine, others, none] = await Promise.all(
      [own.publishers, foreign.publishers, nothing].map((id) => call(method, pathOf(id), bodyOf?.(id))),
    );
    const where = `${method} ${pathOf('')}`;
    expect([where, others!.status, said(others!)]).toEqual([where, none!.status, said(none!)]);
    expect([where, [400, 404].includes(others!.status)]).toEqual([where, true]);
    expect([where, mine!.status === others!.status && said(mine!) === said(others!)]).toEqual([where, false]);
    expect([where, FOREIGN.test(said(mine!))]).toEqual([where, false]);
  }
  const explain = async (id: string | number) => {
    const answer = await call('POST', '/explain', { line_item_id: id, request: ad(own.publishers) });
    return [answer.status, answer.body.code, String(answer.body.detail).replace(String(id), '…')];
  };
  expect(await explain(foreign.line_items)).toEqual(await explain(nothing));
  expect((await explain(own.line_items))[0]).toBe(200);
  for (const query of ['', `&publisher_id=${foreign.publishers}`]) {
    const { status, body } = await call('GET', `/events?day=${today}${query}`);
    expect([query, status, body.errors?.[0]?.pointer]).toEqual([query, 400, '/publisher_id']);
  }
  expect((await call('GET', `/events?day=2020-01-01&publisher_id=${own.publishers}`)).status).toBe(404);
});

test('history: no line of what another publisher had under an id, or before a record was moved', async () => {
  const call = callerOf('trafficker', 'one');
  const historyOf = async (entity: string, id: string | number) =>
    ((await call('GET', `/audit?entity=${entity}&entity_id=${id}`)).body as { action: string; after: Json }[]).map(
      ({ action, after }) => `${action} ${after?.name ?? after?.id}`,
    );
  expect((await historyOf('line_item', own.line_items)).at(-1)).toBe('create Boots');
  expect(await historyOf('line_item', foreign.line_items)).toEqual([]);
  const place = (publisher_id: string | number) => ({ id: 'again', publisher_id, width: 300, height: 250, formats: ['html'] });
  await machine('POST', '/placements', place(foreign.publishers));
  await machine('DELETE', '/placements/again');
  await machine('POST', '/placements', place(own.publishers));
  expect(await historyOf('placement', 'again')).toEqual(['create again']);
  const flight = { start_date: '2026-01-01', end_date: '2026-12-31' };
  const moved = (await machine('POST', '/campaigns', { publisher_id: foreign.publishers, name: 'sesame secret', ...flight })).body.id;
  await machine('PATCH', `/campaigns/${moved}`, { name: 'handed over', publisher_id: own.publishers });
  await machine('PATCH', `/campaigns/${moved}`, { name: 'ours' });
  expect(await historyOf('campaign', moved)).toEqual(['update ours']);
  expect(await historyOf('api_token', 1)).toEqual([]);
  for (const path of ['/placements/again', `/campaigns/${moved}`]) await machine('DELETE', path);
});

test('alerts and refusals of an open placement: those of one’s own publishers', async () => {
  const call = callerOf('viewer', 'one');
  const today = new Date().toISOString();
  const [day, hour] = [today.slice(0, 10), `${today.slice(0, 13)}:00:00Z`];
  for (const [publisher_id, words, requests] of [
    [own.publishers, 'barley ends', 7],
    [foreign.publishers, 'sesame ends', 900_088],
    [null, 'sesame books differ', 900_099],
  ] as const) {
    await knex('alerts').insert({ kind: 'ends_soon', entity: 'line_item', entity_id: words, publisher_id, words });
    if (publisher_id === null) continue;
    const asked = { publisher_id, placement_id: 'open-to-all', reason: 'nothing_booked', size: '300x250', requests };
    await knex('request_hours').insert({ day, hour, ...asked });
  }
  expect(((await call('GET', '/alerts')).body as { words: string }[]).map(({ words }) => words)).toEqual(['barley ends']);
  expect((await machine('GET', '/alerts')).body).toHaveLength(3);
  const path = '/placements/open-to-all/refusals';
  expect((await call('GET', path)).body).toMatchObject({ requests: 7, unfilled: 7 });
  expect((await machine('GET', path)).body).toMatchObject({ requests: 900_095 });
});

const rowsOf = async (): Promise<Json> => {
  const tables = [...ENTITY_TABLES, 'comments', 'saved_reports'];
  const rows = await Promise.all(tables.map((table) => knex(table).orderBy('id')));
  return JSON.parse(JSON.stringify(Object.fromEntries(tables.map((table, i) => [table, rows[i]]))));
};

test('writes: nothing is booked, moved or bulk changed across publishers, and what belongs to none is not changed', async () => {
  const call = callerOf('administrator', 'one');
  const before = await rowsOf();
  const flight = { start_date: '2026-01-01', end_date: '2026-12-31' };
  const item = { name: 'x', active: true, ...flight, cpm: 1 };
  const creative = { line_item_id: own.line_items, format: 'html', content: '<b></b>' };
  const refused: readonly (readonly [string, string, object, string])[] = [
    ['POST', '/campaigns', { publisher_id: foreign.publishers, name: 'x', ...flight }, '/publisher_id'],
    ['POST', '/campaigns', { publisher_id: own.publishers, advertiser_id: foreign.advertisers, name: 'x', ...flight }, '/advertiser_id'],
    ['POST', '/line_items', { campaign_id: foreign.campaigns, ...item }, '/campaign_id'],
    ['POST', '/creatives', { ...creative, placement_id: foreign.placements }, '/placement_id'],
    ['POST', '/creatives', { ...creative, line_item_id: foreign.line_items, placement_id: own.placements }, '/line_item_id'],
    ['POST', '/placements', { id: 'new', width: 1, height: 1, formats: ['html'] }, '/publisher_id'],
    ['PATCH', `/placements/${own.placements}`, { publisher_id: null }, '/publisher_id'],
    ['PATCH', `/placements/${own.placements}`, { publisher_id: foreign.publishers }, '/publisher_id'],
    ['PATCH', `/campaigns/${own.campaigns}`, { publisher_id: foreign.publishers }, '/publisher_id'],
    ['PATCH', `/publishers/${own.publishers}`, { blocked_advertiser_ids: [foreign.advertisers] }, '/blocked_advertiser_ids/0'],
  ];
  for (const [method, path, body, pointer] of refused) {
    const { status, body: answer } = await call(method, path, body);
    expect([method, path, status, answer.errors?.[0]?.pointer]).toEqual([method, path, 400, pointer]);
    expect(said({ body: answer } as ApiAnswer)).not.toMatch(/sesame (?!top)/);
  }
  const shares: readonly (readonly [string, string, object | undefined])[] = [
    ['PATCH', '/placements/open-to-all', { width: 1 }],
    ['DELETE', '/placements/open-to-all', undefined],
    ['PATCH', `/advertisers/${own.advertisers}`, { name: 'x' }],
    ['POST', '/advertisers', { name: 'x' }],
    ['PATCH', `/bidders/${own.bidders}`, { name: 'x' }],
    ['POST', '/publishers', { name: 'x', domain: 'x.example' }],
  ];
  for (const [method, path, body] of shares) {
    const { status, body: answer } = await call(method, path, body);
    expect([method, path, status, answer.code]).toEqual([method, path, 403, 'forbidden']);
  }
  const operations = [
    { method: 'PATCH', path: `/campaigns/${own.campaigns}`, body: { name: 'mine' } },
    { method: 'PATCH', path: `/campaigns/${foreign.campaigns}`, body: { name: 'x' } },
    { method: 'DELETE', path: `/publishers/${foreign.publishers}` },
    { method: 'POST', path: `/creatives/${foreign.creatives}/block` },
    { method: 'PATCH', path: '/placements/open-to-all', body: { width: 1 } },
    { method: 'POST', path: '/advertisers', body: { name: 'x' } },
  ];
  const bulk = await call('POST', '/bulk', { operations });
  expect([bulk.status, (bulk.body.results as { status: number }[]).map(({ status }) => status)]).toEqual([
    400,
    [424, 404, 404, 404, 403, 403],
  ]);
  const byViewer = await callerOf('viewer', 'all')('POST', '/bulk', { operations: operations.slice(0, 2) });
  expect([byViewer.status, byViewer.body.results[0].status, byViewer.body.errors[0].pointer]).toEqual([400, 403, '/operations/0/path']);
  expect(await rowsOf()).toEqual(before);
});

test('a trafficker of one publisher books, changes and deletes what is its own', async () => {
  const call = callerOf('trafficker', 'one');
  const flight = { start_date: '2026-01-01', end_date: '2026-12-31' };
  const campaign = await call('POST', '/campaigns', {
    publisher_id: own.publishers,
    advertiser_id: own.advertisers,
    name: 'mine',
    ...flight,
  });
  expect(campaign.status).toBe(201);
  const item = await call('POST', '/line_items', { campaign_id: campaign.body.id, name: 'mine', active: true, ...flight, cpm: 1 });
  const creative = { line_item_id: item.body.id, format: 'html', content: '<b></b>' };
  for (const placement_id of [own.placements, 'open-to-all'])
    expect((await call('POST', '/creatives', { ...creative, placement_id })).status).toBe(201);
  expect((await call('PATCH', `/campaigns/${campaign.body.id}`, { name: 'renamed' })).status).toBe(200);
  expect((await call('POST', `/campaigns/${campaign.body.id}/duplicate`)).status).toBe(201);
  expect((await call('POST', `/creatives/${own.creatives}/block`)).status).toBe(403);
  expect((await call('DELETE', `/campaigns/${campaign.body.id}`)).status).toBe(204);
});
