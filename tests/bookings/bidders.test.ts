import knexFactory from 'knex';
import type { Fault } from '../../src/base/fault.ts';
import { startPrebidServer, type PrebidServer } from '../../testkit/start-prebid-server.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, askForAd, book, type ApiCall, type Booked } from '../api/api-client.ts';

const SECRET = 'Bearer 5up3r-s3cr3t';

let databaseUrl: string;
let replica: Replica;
let api: ApiCall;
let server: PrebidServer;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), BIDDER_TIMEOUT: '2s' } });
  api = apiOf(replica.url);
  server = await startPrebidServer({
    stored: ['pbs', 'pbs-floor'],
    authorization: SECRET,
    answer: ({ id, imp }) => ({
      id,
      cur: 'USD',
      seatbid: [{ seat: 'appnexus', bid: [{ id: '1', impid: imp![0]!.id, price: 2, adm: '<b>pbs</b>', crid: '1', w: 300, h: 250 }] }],
    }),
  });
  atEnd(() => server.close());
});

const params = { prebid: { storedrequest: { id: '${PLACEMENT_ID}' } } };
const create = async (changes: object = {}) => {
  const answer = await api('POST', '/bidders', {
    name: 'PBS',
    endpoint: server.endpoint,
    headers: { Authorization: SECRET },
    params,
    ...changes,
  });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
};
const programmatic = (bidderId: number, more: object = {}) => ({ type: 'programmatic', cpm: null, bidder_id: bidderId, ...more });
const ask = async (booked: Booked) => {
  const { body } = await askForAd(replica.url, booked);
  return body;
};
const trace = async (booked: Booked): Promise<string> => {
  const answer = await fetch(`${replica.url}/ad?debug=1`, {
    method: 'POST',
    headers: { 'X-API-Key': booked.publisher.api_key },
    body: JSON.stringify({
      id: '1',
      imp: [{ id: '1', tagid: booked.placement }],
      user: { id: 'ann' },
      ext: { publisher_id: booked.publisher.id },
    }),
  });
  return JSON.stringify(((await answer.json()) as { debug: unknown }).debug);
};

test('a line item is filled by the bidder that it names, which gets its headers and parameters', async () => {
  const bidder = await create();
  const booked = await book(api, 'pbs', programmatic(bidder.id));
  expect((await ask(booked)).seatbid[0].bid[0]).toMatchObject({ adm: '<b>pbs</b>', price: 2 });
  expect(server.received.at(-1)).toMatchObject({
    headers: { authorization: SECRET },
    body: { imp: [{ tagid: 'pbs', ext: { prebid: { storedrequest: { id: 'pbs' } } } }], site: { id: String(booked.publisher.id) } },
  });
});

test('a header is stored encrypted, never shown again, kept by its mark, and lost with another host', async () => {
  const bidder = await create();
  expect(bidder.headers.Authorization).toMatch(/^sealed:[\w-]{8}$/);
  const renamed = await api('PUT', `/bidders/${bidder.id}`, { ...bidder, name: 'Renamed' });
  expect(renamed.body).toMatchObject({ name: 'Renamed', headers: bidder.headers });

  const added = await api('PATCH', `/bidders/${bidder.id}`, { headers: { 'X-Team': 'ads' } });
  expect(added.body.headers).toMatchObject({ ...bidder.headers, 'X-Team': expect.stringMatching(/^sealed:/) });
  const changed = await api('PATCH', `/bidders/${bidder.id}`, { headers: { 'X-Team': 'news' } });
  expect(changed.headers.get('etag')).not.toBe(added.headers.get('etag'));
  const moved = await api('PATCH', `/bidders/${bidder.id}`, { endpoint: 'https://elsewhere.example/openrtb2/auction' });
  expect(moved.status).toBe(400);
  const detail = 'must be entered again: it is kept only for the same endpoint host';
  expect(moved.body.errors).toEqual(
    expect.arrayContaining([
      { pointer: '/headers/Authorization', detail },
      { pointer: '/headers/X-Team', detail },
    ]),
  );
  const forged = await api('PATCH', `/bidders/${bidder.id}`, { headers: { 'X-Other': 'sealed:AAAAAAAA' } });
  expect([forged.status, forged.body.errors]).toMatchObject([400, [{ pointer: '/headers/X-Other' }]]);

  const knex = knexFactory({ client: 'pg', connection: databaseUrl });
  atEnd(() => knex.destroy());
  const stored = JSON.stringify([await knex('bidders').select(), await knex('audit').select()]);
  expect(stored).not.toContain('5up3r');
  expect(stored).toContain('sealed:');
});

test('what a bidder says when it refuses a request is in the trace', async () => {
  const bidder = await create();
  const booked = await book(api, 'not-stored', programmatic(bidder.id));
  expect(await trace(booked)).toContain('HTTP 400 Invalid request: Stored Imp with ID=\\"not-stored\\" not found.');
  await api('PATCH', `/bidders/${bidder.id}`, { headers: { Authorization: 'wrong' } });
  expect(await trace(booked)).toContain('HTTP 401 key required');
});

test('the floors of the placement and of the line item bound its bids', async () => {
  const bidder = await create();
  const booked = await book(api, 'pbs-floor', programmatic(bidder.id));
  await api('PATCH', '/placements/pbs-floor', { floor: 2 });
  expect((await ask(booked)).seatbid).toHaveLength(1);
  await api('PATCH', '/placements/pbs-floor', { floor: 2.1 });
  expect((await ask(booked)).seatbid).toEqual([]);
  expect(server.received.at(-1)?.body.imp?.[0]).toMatchObject({ bidfloor: 2.1, bidfloorcur: 'USD' });
  await api('PATCH', '/placements/pbs-floor', { floor: null });
  await api('PATCH', `/line_items/${booked.lineItem}`, { floor: 2.5 });
  expect((await ask(booked)).seatbid).toEqual([]);
  expect(await trace(booked)).toContain('price below the floor (seat-non-bid 301, loss 100)');
});

test('each fault of a bidder is named at its pointer', async () => {
  const { status, body } = await api('POST', '/bidders', {
    name: '',
    endpoint: 'ftp://bidder.example',
    headers: { 'Content-Type': 'text/plain', 'a b': 'x', 'X-Line': 'a\nb' },
    params: ['x'],
    currency: 'EURO',
    bid_adjustment: 0,
    timeout_share: 2,
    schain_sid: '7',
    ads_txt: ['exchange.example, 1, OWNER'],
    badv: ['https://casino.example'],
    battr: ['6'],
    colour: 'red',
  });
  expect(status).toBe(400);
  expect(Object.fromEntries((body.errors as readonly Fault[]).map(({ pointer, detail }) => [pointer, detail]))).toEqual({
    '/name': 'must not be empty',
    '/endpoint': 'must be an http or https URL',
    '/headers/Content-Type': 'is set by the service',
    '/headers/a b': 'name must be a header name, such as Authorization',
    '/headers/X-Line': 'must be visible ASCII characters and spaces',
    '/params': 'must be an object',
    '/currency': 'must be an ISO 4217 currency code, such as EUR',
    '/bid_adjustment': 'must be at least 0.01',
    '/timeout_share': 'must be at most 1',
    '/schain_asi': 'is required with schain_sid',
    '/ads_txt/0': 'must be a record of ads.txt, such as exchange.example, 1234, RESELLER',
    '/badv/0': 'must be a host name, such as boots.example',
    '/battr/0': 'must be a whole number',
    '/colour': 'is not a known field',
  });
  expect((await api('POST', '/bidders', { name: 'x', endpoint: server.endpoint, params: { a: 'x'.repeat(9_000) } })).body.errors).toEqual([
    { pointer: '/params', detail: 'must have at most 8192 characters of JSON' },
  ]);
});

test('a deleted bidder takes its line items with it, and says how many there are', async () => {
  const bidder = await create();
  const booked = await book(api, 'gone', programmatic(bidder.id));
  expect((await api('GET', `/bidders/${bidder.id}?include=counts`)).body.counts).toEqual({ line_items: 1, creatives: 1 });
  expect((await api('GET', `/line_items?bidder_id=${bidder.id}`)).body).toHaveLength(1);
  expect((await api('DELETE', `/bidders/${bidder.id}`)).status).toBe(204);
  expect((await api('GET', `/line_items/${booked.lineItem}`)).status).toBe(404);
  expect(
    (
      await api('POST', '/line_items', {
        campaign_id: booked.campaign,
        active: true,
        start_date: '2026-01-01',
        end_date: '2027-01-01',
        ...programmatic(bidder.id),
      })
    ).body.errors,
  ).toMatchObject([{ pointer: '/bidder_id' }]);
});
