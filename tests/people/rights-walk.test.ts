import knexFactory, { type Knex } from 'knex';
import { permissionsOf, ROLE_NAMES, ROLES_OF_ADVERTISERS, type Permission } from '../../src/access/permissions.ts';
import type { RouteDefinition } from '../../src/api/route.ts';
import { ENTITY_TABLES, type EntityTable } from '../../src/catalog/entities/entities.ts';
import { allRoutes } from '../../src/trafficking/trafficking-api.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import type { ApiAnswer, ApiCall, Json } from '../api/api-client.ts';
import { furnish, type Furnished } from './furnish.ts';
import { callWith, MACHINE, tokenOf } from './staff.ts';

const STAFF = Object.entries(allRoutes(['like'])).filter(([, { access = 'staff' }]) => access === 'staff');

/** Ids of the other publisher's records, so that none of them is in an answer by chance. */
const FIRST_FOREIGN_ID = 900_001;
/** What a campaign is, is in, or names. */
const NAMED_BY_BOOKINGS: readonly EntityTable[] = [
  ...(['publishers', 'placements', 'advertisers', 'targetings'] as const),
  ...(['campaigns', 'line_items', 'creatives'] as const),
];
/** Lists that can be narrowed to a publisher. */
const BELOW_PUBLISHERS: readonly EntityTable[] = ['placements', 'campaigns', 'line_items', 'creatives'];
const FOREIGN = /sesame|\b9000\d\d\b/i;
/** For some advertisers of a publisher: its bidders, and other advertisers, too. */
const FOREIGN_TO_BOOKED = /sesame|9000\d\d|millet|8000\d\d|fennel/i;
/** For all publishers, for one, and for an advertiser of it. */
const REACHES = ['one', 'all', 'booked'] as const;
type Reach = (typeof REACHES)[number];

/** A role that administrators have made, with permissions that no built-in role has together. */
const MADE = {
  name: 'night desk',
  permissions: ['records.read', 'alerts.read', 'creatives.approve', 'finance.read', 'people.invite'],
} as const;
const ROLES_WALKED: readonly string[] = [...ROLE_NAMES, MADE.name];
const reachesOf = (role: string): readonly Reach[] => REACHES.filter((reach) => reach === 'booked' || !ROLES_OF_ADVERTISERS.includes(role));
const permissionsWith = (role: string): ReadonlySet<Permission> => permissionsOf([role], role === MADE.name ? MADE.permissions : []);

let replica: Replica;
let machine: ApiCall;
let knex: Knex;
/** Of the callers' advertiser at their publisher, of another one beside it, of another publisher, and what both may know. */
let own: Furnished['ids'];
let beside: Furnished['ids'];
let foreign: Furnished['ids'];
let shared: Readonly<Partial<Record<EntityTable, string | number>>>;
const tokens = new Map<string, ApiCall>();

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
  own = (await furnish({ machine, knex, word: 'barley', impressions: 41, bidderWord: 'fennel' })).ids;
  await machine('POST', '/placements', { id: 'open-to-all', width: 300, height: 250, formats: ['html'] });
  const { publishers: publisher, advertisers: advertiser } = own;
  beside = (await furnish({ machine, knex, word: 'millet', impressions: 800_066, publisher })).ids;
  for (const table of ENTITY_TABLES.filter((one) => one !== 'placements'))
    await knex.raw(`alter table ${table} alter column id restart with ${FIRST_FOREIGN_ID}`);
  foreign = (await furnish({ machine, knex, word: 'sesame', impressions: 900_077 })).ids;
  shared = { placements: 'open-to-all', advertisers: advertiser, bidders: own.bidders };
  expect((await machine('POST', '/roles', MADE)).status).toBe(201);
  for (const role of ROLES_WALKED)
    for (const reach of reachesOf(role)) {
      const ids = [reach === 'one' ? [Number(publisher)] : null, reach === 'booked' ? [Number(advertiser)] : null] as const;
      tokens.set(`${role} of ${reach}`, callWith(replica.url, await tokenOf(machine, `${role} of ${reach}`, [role], ...ids)));
    }
});
afterAll(() => knex.destroy());

/** Every role with every scope that it can have. */
const CALLERS = ROLES_WALKED.flatMap((role) => reachesOf(role).map((reach) => ({ role, reach, who: `${role} of ${reach}` })));
const LIMITED = CALLERS.filter(({ reach }) => reach !== 'all');

const callerOf = (role: string, reach: Reach): ApiCall => {
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

const isAllowed = ({ needs = 'sign_in', reach }: RouteDefinition, role: string, of: Reach): boolean => {
  if (needs !== 'sign_in' && !permissionsWith(role).has(needs)) return false;
  return of === 'all' || !(reach === undefined || (of === 'booked' && reach === 'publishers'));
};

/** Whether what a path names is known to callers of this reach, and theirs. */
const isOwn = (table: EntityTable, of: Reach): boolean =>
  of === 'booked' ? ['campaigns', 'line_items', 'creatives'].includes(table) : of === 'all' || shared[table] !== own[table];
const isKnown = (table: EntityTable, of: Reach): boolean => of !== 'booked' || NAMED_BY_BOOKINGS.includes(table);

/** An answer without what was asked. */
const said = ({ body }: ApiAnswer): string =>
  JSON.stringify(body?.instance === undefined ? body : { ...body, instance: '', request_id: '' });

/** Without those that are random. */
const headersOf = ({ headers }: ApiAnswer): string =>
  JSON.stringify([...headers].filter(([name]) => !['etag', 'x-request-id', 'date'].includes(name)));

test('every route of staff says what it needs', () => {
  expect(STAFF.length).toBeGreaterThan(100);
  expect(STAFF.filter(([, { needs }]) => needs === undefined)).toEqual([]);
});

test('every route × role: who has the permission may call it, with a limited scope what reaches no further; all others get 403', async () => {
  let refused = 0;
  for (const [id, route] of STAFF)
    for (const { role, reach, who } of CALLERS) {
      const table = tableOf(route);
      const { status, body } = await probe(callerOf(role, reach), route, table && own[table]);
      const where = `${id} by a ${who}: ${status}`;
      expect([where, status === 401 || status >= 500]).toEqual([where, false]);
      if (isAllowed(route, role, reach)) {
        // What is shared with others may be known of, and not be changed.
        if (!table || isOwn(table, reach)) expect([where, status === 403]).toEqual([where, false]);
      } else {
        refused++;
        expect([where, status, body.code]).toEqual([where, 403, 'forbidden']);
      }
    }
  expect(refused).toBeGreaterThan(500);
});

test('every route with a record in its path × role: another’s answers exactly as one that does not exist', async () => {
  let walked = 0;
  for (const [id, route] of STAFF) {
    const table = tableOf(route);
    if (!table || route.reach === undefined || route.reach === 'any') continue;
    for (const { role, reach, who } of LIMITED) {
      if (!isAllowed(route, role, reach)) continue;
      const call = callerOf(role, reach);
      const nothing = await probe(call, route, table === 'placements' ? 'no-such-place' : undefined);
      const others = reach === 'booked' ? [foreign[table], beside[table], ...(table === 'bidders' ? [own[table]] : [])] : [foreign[table]];
      for (const other of table === 'publishers' && reach === 'booked' ? [foreign[table]] : others) {
        const answer = await probe(call, route, other);
        const where = `${id} by a ${who}`;
        expect([where, answer.status, answer.body.code]).toEqual([where, 404, 'not_found']);
        expect([where, said(answer)]).toEqual([where, said(nothing)]);
      }
      const mine = await probe(call, route, own[table]);
      const where = `${id} by a ${who}`;
      // Only what was deleted can be restored.
      if (isKnown(table, reach) && !route.path.endsWith('/restore')) expect([where, mine.status === 404]).toEqual([where, false]);
      if (isKnown(table, reach) && route.method === 'GET') expect([where, mine.status]).toEqual([where, 200]);
      walked++;
    }
  }
  expect(walked).toBeGreaterThan(130);
});

test('every route that reads × role: no answer in a limited scope has a word or an id of what is outside it', async () => {
  let read = 0;
  for (const [id, route] of STAFF.filter(([, { method }]) => method === 'GET'))
    for (const { role, reach, who } of LIMITED) {
      const table = tableOf(route);
      const answer = await probe(callerOf(role, reach), route, table && own[table]);
      const text = said(answer) + headersOf(answer);
      const found = (reach === 'booked' ? FOREIGN_TO_BOOKED : FOREIGN).exec(text)?.[0];
      expect([`${id} by a ${who}`, found]).toEqual([`${id} by a ${who}`, undefined]);
      if (answer.status === 200) read++;
    }
  expect(read).toBeGreaterThan(180);
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
  expect((await call('GET', '/complaints')).body).toHaveLength(2);

  const query = 'group_by=publisher,campaign&metrics=impressions&range=last_7_days';
  const { body: report } = await call('GET', `/reports?${query}`);
  expect([report.totals, report.row_count, report.filter]).toEqual([{ impressions: 800_107 }, 2, { publisher: [String(own.publishers)] }]);
  const { body: booked } = await callerOf('viewer', 'booked')('GET', `/reports?${query}`);
  expect([booked.totals, booked.row_count, booked.filter]).toEqual([{ impressions: 41 }, 1, { advertiser: [String(own.advertisers)] }]);
  expect((await machine('GET', `/reports?${query}`)).body.totals).toEqual({ impressions: 1_700_184 });
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
    const ofBooked = (id: string | number) =>
      callerOf('viewer', 'booked')('GET', `/reports?metrics=impressions&filter[${dimension}]=${id}`);
    const [known, unknown, none] = [await ofBooked(own[table]), await ofBooked(beside[table]), await ofBooked(foreign[table])];
    expect([dimension, known.status, known.body.totals]).toEqual([dimension, 200, { impressions: 41 }]);
    expect([dimension, said(none)]).toEqual([dimension, said(nothing)]);
    if (table !== 'publishers') expect([dimension, said(unknown)]).toEqual([dimension, said(nothing)]);
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

test('lists and searches of an advertiser: of publishers and placements what its bookings need, no bidders, nothing by hidden words', async () => {
  const call = callerOf('trafficker', 'booked');
  const listOf = async (path: string): Promise<Json[]> => (await call('GET', path)).body;
  expect(await listOf('/publishers')).toEqual([{ id: own.publishers, name: 'barley Gazette', domain: 'barley.example', currency: 'USD' }]);
  expect(await listOf('/placements')).toEqual([
    { id: 'barley-top', publisher_id: own.publishers, width: 300, height: 250, formats: ['html'] },
  ]);
  expect((await listOf('/advertisers')).map(({ id }) => id)).toEqual([own.advertisers]);
  expect(await listOf('/bidders')).toEqual([]);
  const [, demand] = await listOf('/line_items?sort=id');
  expect([demand.name, 'bidder_id' in demand, 'endpoint' in demand]).toEqual(['barley demand', false, false]);
  expect((await machine('GET', `/line_items/${demand.id}`)).body.bidder_id).toBe(own.bidders);
  for (const query of ['q=fennel', 'q=millet', `bidder_id=${own.bidders}`, `advertiser_id=${beside.advertisers}`])
    expect([query, await listOf(`/line_items?${query}`)]).toEqual([query, []]);
  const replaced = await call('PUT', `/line_items/${demand.id}`, { ...demand, name: 'barley demand again' });
  expect([replaced.status, 'bidder_id' in replaced.body]).toEqual([200, false]);
  expect((await machine('GET', `/line_items/${demand.id}`)).body).toMatchObject({ bidder_id: own.bidders, name: 'barley demand again' });
  const counts = (await call('GET', `/publishers/${own.publishers}?include=counts`)).body.counts;
  expect(counts).toMatchObject({ campaigns: 1, line_items: 2, creatives: 1, placements: 1 });
});

test('history: no line of what another publisher had under an id, or before a record was moved', async () => {
  const call = callerOf('trafficker', 'one');
  const historyOf = async (entity: string, id: string | number) =>
    ((await call('GET', `/audit?entity=${entity}&entity_id=${id}`)).body as { action: string; after: Json }[]).map(
      ({ action, after }) => `${action} ${after?.name ?? after?.id}`,
    );
  expect((await historyOf('line_item', own.line_items)).at(-1)).toBe('create barley line');
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
  await knex('alerts').insert({ kind: 'drift', entity: 'books', entity_id: 'counts', publisher_id: null, words: 'sesame books differ' });
  for (const [publisher_id, requests] of [
    [own.publishers, 7],
    [foreign.publishers, 900_088],
  ] as const) {
    const asked = { publisher_id, placement_id: 'open-to-all', reason: 'nothing_booked', size: '300x250', requests };
    await knex('request_hours').insert({ day, hour, ...asked });
  }
  const wordsFor = async (caller: ApiCall) =>
    ((await caller('GET', '/alerts')).body as { words: string }[]).map(({ words }) => words).sort();
  expect(await wordsFor(call)).toEqual(['barley ends', 'millet ends']);
  expect(await wordsFor(callerOf('viewer', 'booked'))).toEqual(['barley ends']);
  expect(await wordsFor(machine)).toHaveLength(4);
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
