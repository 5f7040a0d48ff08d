import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { apiOf, each, itemsOf, type ApiCall, type Json } from '../api/api-client.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createChance } from '../../testkit/chance.ts';
import { processCpuMicros } from '../../testkit/process-cpu.ts';
import { anyBookings } from './any-bookings.ts';
import { bookings } from './bookings.ts';

let stores: object;
let here: Replica;
let elsewhere: Replica;
let machine: ApiCall;
let other: ApiCall;

const newStores = async () => ({ DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() });
const start = (stores: object): Promise<Replica> =>
  startReplica({ env: { ...stores, NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' } });

beforeAll(async () => {
  stores = await newStores();
  [here, elsewhere] = await Promise.all([start(stores), newStores().then(start)]);
  machine = callWith(here.url, MACHINE);
  other = callWith(elsewhere.url, MACHINE);
});

const changesOf = ({ body }: { readonly body: Json }): readonly string[] => (body.changes as { words: string }[]).map(({ words }) => words);
const exported = async (api: ApiCall, publisher: number, as = 'application/json'): Promise<Json> => {
  const answer = await api('GET', `/export?publisher=${publisher}`, undefined, { Accept: as });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, as]);
  return answer.body;
};
const publisherOf = async (api: ApiCall, declaration: object): Promise<number> => {
  const answer = await api('POST', '/apply', declaration);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.publisher_id as number;
};

test('a declaration is planned without a trace, then applied, and is then what the export says', async () => {
  const declaration = bookings('whole');
  const planned = await machine('POST', '/apply?dry_run=true', declaration);
  expect(planned.body).toMatchObject({ applied: false, publisher_id: null, unchanged: 0, undeclared: [] });
  expect(changesOf(planned)).toHaveLength(13);
  expect((await machine('GET', '/publishers?q=whole')).body).toEqual([]);

  const applied = await machine('POST', '/apply', declaration);
  expect([applied.status, applied.body.applied, applied.body.changes.length]).toEqual([200, true, 13]);
  expect(applied.body.api_key).toMatch(/^pk_/);
  const id = applied.body.publisher_id as number;
  const { installation, ...same } = await exported(machine, id);
  expect(installation).toMatch(/^[0-9a-f-]{36}$/);
  expect(same).toEqual(declaration);
  expect(parse(String(await exported(machine, id, 'application/yaml')))).toEqual({ installation, ...same });

  const again = await machine('POST', '/apply', same);
  expect(again.body).toMatchObject({ applied: true, publisher_id: id, changes: [], unchanged: 13 });
});

test('a plan says in words what changes, and who changed it last', async () => {
  const declaration = bookings('words');
  await publisherOf(machine, declaration);
  const [spring] = declaration.campaigns;
  spring.line_items[1].cpm = 5;
  spring.line_items[1].targeting = { countries: ['at', 'DE'], devices: ['mobile'] };
  const planned = await machine('POST', '/apply?dry_run=true', declaration);
  expect(planned.body.changes).toEqual([
    {
      ...{ action: 'update', kind: 'line_item', key: 'sport', id: expect.any(Number), name: 'Sport readers' },
      fields: [
        { name: 'cpm', before: 4.5, after: 5 },
        {
          name: 'targeting',
          before: { countries: ['DE', 'AT'], devices: ['mobile'] },
          after: { countries: ['AT', 'DE'], devices: ['mobile'] },
        },
      ],
      words:
        'line item Sport readers: cpm 4.5 → 5, targeting {"countries":["DE","AT"],"devices":["mobile"]} → {"countries":["AT","DE"],"devices":["mobile"]}; 120,000 impressions are booked',
      last_change: { actor: expect.any(String), at: expect.any(String), note: null },
    },
  ]);
  const noted = await machine('POST', '/apply', declaration, { 'Change-Note': 'commit%203f2a%3A%20dearer' });
  expect(noted.body.applied).toBe(true);
  const history = await machine('GET', '/audit?entity=line_item&limit=1');
  expect(history.body[0]).toMatchObject({ action: 'update', note: 'commit 3f2a: dearer' });
});

test('what the declaration does not have stays, and is archived on request; what comes back is live again', async () => {
  const declaration = bookings('prune');
  const id = await publisherOf(machine, declaration);
  const [spring, winter] = declaration.campaigns;
  const smaller = { ...declaration, campaigns: [{ ...spring, line_items: itemsOf(spring.line_items).slice(1) }] };
  const kept = await machine('POST', '/apply', smaller);
  expect([kept.body.changes, itemsOf(kept.body.undeclared).map(({ kind, key }) => `${kind} ${key}`)]).toEqual([
    [],
    ['campaign winter', 'line_item network'],
  ]);
  const pruned = await machine('POST', '/apply?prune=true', smaller);
  expect(changesOf(pruned)).toEqual([
    'campaign Winter: is archived: the declaration does not have it',
    'line item network: is archived: the declaration does not have it',
  ]);
  expect((await exported(machine, id)).campaigns).toHaveLength(1);
  const back = await machine('POST', '/apply', { ...declaration, campaigns: [spring, winter] });
  expect(changesOf(back)).toEqual(['campaign Winter: archived true → (default)', 'line item network: archived true → (default)']);
});

test('the same declaration makes the same bookings in another installation, also sent as lines', async () => {
  const declaration = bookings('moved');
  const first = await exported(machine, await publisherOf(machine, declaration));
  const { installation: _, version, publisher, advertisers, bidders, placements, targetings, campaigns } = first;
  const lines = [
    { version },
    ...itemsOf(campaigns).flatMap(({ line_items: items = [], ...campaign }) => [
      ...itemsOf(items).map((item) => ({ line_item: { campaign: campaign.key, ...item } })),
      { campaign },
    ]),
    ...itemsOf(placements).map((placement) => ({ placement })),
    ...itemsOf(targetings).map((targeting) => ({ targeting })),
    ...itemsOf(bidders).map((bidder) => ({ bidder })),
    ...itemsOf(advertisers).map((advertiser) => ({ advertiser })),
    { publisher },
  ];
  const sent = await other('POST', '/apply', lines.map((line) => JSON.stringify(line)).join('\n'), {
    'Content-Type': 'application/x-ndjson',
  });
  expect([sent.status, sent.body.changes?.length]).toEqual([200, 13]);
  const second = await exported(other, sent.body.publisher_id as number);
  expect({ ...second, installation: first.installation }).toEqual(first);
});

test('a plan that somebody overtook is refused', async () => {
  const declaration = bookings('stale');
  const id = await publisherOf(machine, declaration);
  declaration.campaigns[0].budget = 1300;
  const { state } = (await machine('POST', '/apply?dry_run=true', declaration)).body;
  const [campaign] = (await machine('GET', `/campaigns?publisher_id=${id}&q=spring`)).body;
  await machine('PATCH', `/campaigns/${campaign.id}`, { budget: 99 });
  const refused = await machine('POST', '/apply', declaration, { 'If-Match': state });
  expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed']);
  const fresh = await machine('POST', '/apply?dry_run=true', declaration);
  expect(fresh.body.changes[0].fields).toEqual([{ name: 'budget', before: 99, after: 1300 }]);
  expect((await machine('POST', '/apply', declaration, { 'If-Match': fresh.body.state })).body.applied).toBe(true);
});

test('a fault anywhere changes nothing, and each is named with its place', async () => {
  const declaration = bookings('faults');
  const id = await publisherOf(machine, declaration);
  const before = await exported(machine, id);
  const [spring] = declaration.campaigns;
  const broken = {
    ...declaration,
    publisher: { ...declaration.publisher, name: 'Renamed', time_zone: 'Mars/Olympus' },
    campaigns: [
      {
        ...spring,
        advertiser: 'no-one',
        line_items: [{ ...spring.line_items![0], cpm: -1, colour: 'red', creatives: [{ key: 'x', placements: ['gone'], format: 'html' }] }],
      },
      { key: 'spring', name: 'Twice', start_date: '2026-03-01', end_date: '2999-12-31' },
    ],
  };
  const refused = await machine('POST', '/apply', broken);
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  expect(refused.body.errors).toEqual([
    { pointer: '/campaigns/0/line_items/0/colour', detail: 'is not a known field' },
    { pointer: '/campaigns/1/key', detail: 'is that of /campaigns/0 too' },
  ]);
  const { colour: _, ...item } = broken.campaigns[0].line_items![0];
  const deeper = await machine('POST', '/apply', { ...broken, campaigns: [{ ...broken.campaigns[0], line_items: [item] }] });
  expect(each(deeper.body.errors, 'pointer')).toEqual(['/publisher/time_zone', '/campaigns/0/advertiser']);
  const deepest = await machine('POST', '/apply', { ...declaration, campaigns: [{ ...spring, line_items: [item] }] });
  expect(deepest.body.errors).toEqual([
    { pointer: '/campaigns/0/line_items/0/cpm', detail: expect.stringContaining('must be') },
    { pointer: '/campaigns/0/line_items/0/creatives/0/placements/0', detail: 'gone does not exist' },
  ]);
  expect(await exported(machine, id)).toEqual(before);
});

test.each([
  ['text', 'hello', 'invalid_json'],
  ['a list', [], 'invalid_request'],
  ['no publisher', { campaigns: [] }, 'invalid_request'],
  ['another version', { version: 2, publisher: { key: 'v' } }, 'invalid_request'],
  ['a publisher without a key', { publisher: { name: 'x', domain: 'x.example' } }, 'invalid_request'],
  ['an id of nowhere', { publisher: { id: 1, name: 'x', domain: 'x.example' } }, 'invalid_request'],
  ['campaigns that are no list', { publisher: { key: 'v' }, campaigns: {} }, 'invalid_request'],
  ['an id that no record can have', { publisher: { id: 1e12, name: 'x', domain: 'x.example' } }, 'invalid_request'],
  [
    'an id of a record that none can have',
    { publisher: { key: 'v', name: 'x', domain: 'x.example' }, advertisers: [{ id: 1e12, name: 'x' }] },
    'invalid_request',
  ],
  [
    'a key with a character that Postgres cannot store',
    { publisher: { key: 'a\u0000', name: 'x', domain: 'x.example' } },
    'invalid_request',
  ],
  [
    'a reference with such a character',
    { publisher: { key: 'v', name: 'x', domain: 'x.example', blocked_advertisers: ['a\u0000'] } },
    'invalid_request',
  ],
  [
    'a placement with such a character',
    { publisher: { key: 'v', name: 'x', domain: 'x.example' }, placements: [{ id: 'a\u0000', width: 1, height: 1, formats: ['html'] }] },
    'invalid_request',
  ],
  ['a record that is a number', { publisher: { key: 'v' }, campaigns: [1] }, 'invalid_request'],
])('%s is refused', async (_, body, code) => {
  const refused = await machine('POST', '/apply', body);
  expect([refused.status, refused.body.code]).toEqual([400, code]);
});

test('a record without a key has its id, and gets a key by having both', async () => {
  const publisher = (await machine('POST', '/publishers', { name: 'Old', domain: 'old.example' })).body.id as number;
  const campaign = { publisher_id: publisher, name: 'Old', start_date: '2026-03-01', end_date: '2999-12-31' };
  const id = (await machine('POST', '/campaigns', campaign)).body.id as number;
  const before = await exported(machine, publisher);
  expect([before.publisher.id, before.campaigns[0].id]).toEqual([publisher, id]);
  expect((await machine('POST', '/apply', before)).body).toMatchObject({ changes: [], unchanged: 2 });
  const elsewhere = await other('POST', '/apply', { ...before, installation: '00000000-0000-0000-0000-000000000000' });
  expect(elsewhere.body.errors).toEqual([{ pointer: '/campaigns/0/id', detail: expect.stringContaining('another installation') }]);
  const beyond = await machine('POST', '/apply', { ...before, campaigns: [{ ...before.campaigns[0], id: 1e12 }] });
  expect([beyond.status, beyond.body.errors]).toEqual([400, [{ pointer: '/campaigns/0/id', detail: 'must be the id of a record' }]]);
  const keyed = { ...before, publisher: { ...before.publisher, key: 'old' }, campaigns: [{ ...before.campaigns[0], key: 'old-1' }] };
  expect((await machine('POST', '/apply', keyed)).body.changes).toHaveLength(2);
  const after = await exported(machine, publisher);
  expect([after.publisher, after.campaigns]).toEqual([
    { key: 'old', name: 'Old', domain: 'old.example' },
    [{ key: 'old-1', name: 'Old', start_date: '2026-03-01', end_date: '2999-12-31' }],
  ]);
  expect((await other('POST', '/apply', after)).body.applied).toBe(true);
});

test('a placement of another publisher is not taken over, and one of all publishers is said to be open', async () => {
  await publisherOf(machine, bookings('holder'));
  await machine('POST', '/placements', { id: 'everyone', width: 300, height: 250, formats: ['html'] });
  const placements = ['holder-top', 'everyone'].map((id) => ({ id, width: 300, height: 250, formats: ['html'] }));
  const declaration = { publisher: { key: 'taker', name: 'Taker', domain: 'taker.example' }, placements };
  expect((await machine('POST', '/apply', declaration)).body.errors).toEqual([
    { pointer: '/placements/0/id', detail: 'is a placement of another publisher' },
    { pointer: '/placements/1/id', detail: 'is open to all publishers: say `open: true`' },
  ]);
  const open = { ...declaration, placements: [{ ...placements[1], open: true }] };
  expect((await machine('POST', '/apply', open)).body).toMatchObject({ applied: true, unchanged: 1 });
});

test('a key is of one record of a publisher, in every write', async () => {
  const declaration = bookings('keys');
  const id = await publisherOf(machine, declaration);
  const twin = { publisher_id: id, name: 'Twin', start_date: '2026-03-01', end_date: '2999-12-31', external_key: 'spring' };
  const refused = await machine('POST', '/campaigns', twin);
  expect([refused.status, refused.body.errors]).toEqual([
    400,
    [{ pointer: '/external_key', detail: 'is the key of another campaign: choose another one' }],
  ]);
  const [winter] = (await machine('GET', `/campaigns?publisher_id=${id}&q=winter`)).body;
  const [spring] = (await machine('GET', `/campaigns?publisher_id=${id}&q=spring`)).body;
  const item = {
    campaign_id: winter.id,
    name: 'x',
    active: true,
    start_date: '2026-03-01',
    end_date: '2999-12-31',
    cpm: 1,
    external_key: 'sport',
  };
  expect((await machine('POST', '/line_items', item)).body.errors[0].pointer).toBe('/external_key');
  const copy = await machine('POST', `/campaigns/${spring.id}/duplicate`);
  expect([copy.status, copy.body.external_key]).toEqual([201, null]);
  await machine('DELETE', `/campaigns/${spring.id}`);
  expect((await machine('POST', '/campaigns', twin)).status).toBe(201);
  const restored = await machine('POST', `/campaigns/${spring.id}/restore`);
  expect([restored.status, restored.body.external_key]).toEqual([200, null]);
  expect((await machine('GET', `/line_items?campaign_id=${spring.id}&q=sport`)).body).toMatchObject([{ external_key: 'sport' }]);
});

test('who books for some publishers exports and applies theirs, and learns nothing of others', async () => {
  const own = await publisherOf(machine, bookings('own'));
  const foreign = await publisherOf(machine, bookings('foreign'));
  const trafficker = callWith(here.url, await tokenOf(machine, 'theirs', ['trafficker'], [own]));
  expect((await trafficker('GET', `/export?publisher=${foreign}`)).status).toBe(404);
  expect((await trafficker('POST', `/apply?publisher=${foreign}`, bookings('own'))).status).toBe(404);
  const declaration = bookings('own');
  declaration.campaigns[0].budget = 77;
  expect((await trafficker('POST', '/apply', declaration)).body).toMatchObject({ applied: true, publisher_id: own, unchanged: 12 });
  declaration.publisher.name = 'Ours';
  declaration.advertisers[0].name = 'Theirs';
  const refused = await trafficker('POST', '/apply', declaration);
  expect(each(refused.body.errors, 'pointer')).toEqual(['/advertisers/0', '/publisher']);
  const guessed = await trafficker('POST', '/apply', bookings('foreign'));
  expect([guessed.status, JSON.stringify(guessed.body).includes('already')]).toEqual([400, false]);
  const viewer = callWith(here.url, await tokenOf(machine, 'reads', ['viewer'], null));
  expect((await viewer('POST', '/apply', bookings('own'))).status).toBe(403);
  expect((await viewer('GET', `/export?publisher=${own}`)).status).toBe(200);
});

test('whatever was booked before, the bookings are what the declaration says', async () => {
  const chance = createChance(7);
  let id: number | undefined;
  for (let round = 0; round < 25; round++) {
    const declaration = anyBookings('any', chance);
    const applied = await machine('POST', '/apply?prune=true', declaration);
    if (applied.status !== 200) throw new Error(JSON.stringify(applied.body));
    id ??= applied.body.publisher_id as number;
    const { installation: _, ...same } = await exported(machine, id);
    expect(same).toEqual(declaration);
    expect((await machine('POST', '/apply?prune=true&dry_run=true', same)).body).toMatchObject({ changes: [], undeclared: [] });
  }
});

test('2,000 line items are booked within ten seconds of processor time, and not at all when the replica is killed in between', async () => {
  const lineItem = (i: number) => ({
    ...{ key: `item-${i}`, name: `Line item ${i}`, active: true, start_date: '2026-03-01', end_date: '2999-12-31', cpm: 1 },
  });
  const line_items = Array.from({ length: 2_000 }, (_, i) => lineItem(i));
  const campaign = { key: 'c', name: 'Large', start_date: '2026-03-01', end_date: '2999-12-31', line_items };
  const declaration = { publisher: { key: 'large', name: 'Large', domain: 'large.example' }, campaigns: [campaign] };
  const replica = await start(stores);
  const cut = callWith(replica.url, MACHINE)('POST', '/apply', declaration).catch(() => undefined);
  await sleep(1_500);
  await replica.kill('SIGKILL');
  await cut;
  expect((await machine('GET', '/publishers?q=large')).body).toEqual([]);
  const before = processCpuMicros(here.pid());
  expect((await machine('POST', '/apply', declaration)).body.changes).toHaveLength(2_002);
  expect((processCpuMicros(here.pid()) - before) / 1e6).toBeLessThan(10);
  expect((await machine('POST', '/apply', declaration)).body).toMatchObject({ changes: [], unchanged: 2_002 });
});

test('headers of a bidder are no part of a declaration, and stay', async () => {
  const id = await publisherOf(machine, bookings('sealed'));
  expect(JSON.stringify(await exported(machine, id))).not.toContain('headers');
  expect((await apiOf(here.url)('GET', `/export?publisher=${id}`)).status).toBe(401);
});
