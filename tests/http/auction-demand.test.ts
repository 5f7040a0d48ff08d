import { startPrebidServer, type PrebidServer } from '../../testkit/start-prebid-server.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, book, type ApiCall, type Booked, type Json } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;
let server: PrebidServer;
const disclosed = { behalf: 'Brand', paid: 'Agency', adrender: 1 };
let ext: object = {};

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), BIDDER_TIMEOUT: '2s' };
  replica = await startReplica({ env: { ...env, PUBLIC_URL: 'https://ads.example' } });
  api = apiOf(replica.url);
  server = await startPrebidServer({
    stored: ['demand'],
    answer: ({ id, imp }) => ({
      id,
      cur: 'USD',
      seatbid: [
        {
          seat: 's',
          bid: [{ id: '1', impid: imp![0]!.id, price: 2, adm: '<b>pbs</b>', crid: '1', cat: ['IAB1'], cattax: 1, dealid: 'gold', ext }],
        },
      ],
    }),
  });
  atEnd(() => server.close());
});

const auction = async ({ publisher, placement }: Booked, more: object = {}): Promise<Json> => {
  const body = { id: 'a', imp: [{ id: '1', tagid: placement, banner: { format: [{ w: 300, h: 250 }] } }], user: { id: 'ann' }, ...more };
  const answer = await fetch(`${replica.url}/openrtb2/auction/${publisher.id}`, {
    method: 'POST',
    headers: { 'X-API-Key': publisher.api_key },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return answer.json();
};

test('a bidder’s categories, deal and DSA information are passed on, and a bid without the information is refused where it is required', async () => {
  const params = { prebid: { storedrequest: { id: 'demand' } } };
  const bidder = (await api('POST', '/bidders', { name: 'PBS', endpoint: server.endpoint, params })).body;
  const booked = await book(api, 'demand', { type: 'programmatic', cpm: null, bidder_id: bidder.id, deal_id: 'gold' });
  const asked = { regs: { ext: { dsa: { dsarequired: 2, pubrender: 1, colour: 'red' } } } };
  ext = { dsa: disclosed };
  expect((await auction(booked, asked)).seatbid[0].bid[0]).toMatchObject({
    cat: ['IAB1'],
    cattax: 1,
    dealid: 'gold',
    ext: { dsa: disclosed },
  });
  expect(server.received.at(-1)?.body).toMatchObject({ regs: { ext: { dsa: { dsarequired: 2, pubrender: 1 } } } });
  ext = {};
  expect((await auction(booked, asked)).seatbid).toEqual([]);
  expect((await auction(booked)).seatbid[0].bid[0]).not.toHaveProperty('ext');
});

test('a private auction calls the bidders of its deals alone, and offers them those deals at their floors', async () => {
  const bidder = (await api('POST', '/bidders', { name: 'PBS', endpoint: server.endpoint, params: { prebid: { bidder: { x: {} } } } }))
    .body;
  const booked = await book(api, 'private', { type: 'programmatic', cpm: null, bidder_id: bidder.id, deal_id: 'gold' });
  const imp = (deal: object) => [
    { id: '1', tagid: 'private', banner: { w: 300, h: 250 }, bidfloor: 9, pmp: { private_auction: 1, deals: [deal] } },
  ];
  expect((await auction(booked, { imp: imp({ id: 'gold', bidfloor: 1.5 }) })).seatbid[0].bid[0]).toMatchObject({
    dealid: 'gold',
    price: 2,
  });
  expect(server.received.at(-1)?.body).toMatchObject({ imp: [{ pmp: { private_auction: 1, deals: [{ id: 'gold', bidfloor: 1.5 }] } }] });
  const calls = server.received.length;
  expect(await auction(booked, { imp: imp({ id: 'silver' }) })).toMatchObject({ seatbid: [], nbr: 519 });
  expect(server.received).toHaveLength(calls);
  expect((await auction(booked, { imp: imp({ id: 'gold' }) })).seatbid).toEqual([]);
});

test('a direct ad discloses its advertiser and who pays by name; without one, the domain of the creative; without both, it does not bid', async () => {
  const regs = { ext: { dsa: { dsarequired: 3, pubrender: 2 } } };
  const booked = await book(api, 'disclosed');
  expect((await auction(booked, { regs })).seatbid).toEqual([]);
  const { id } = (await api('POST', '/advertisers', { name: 'Boots of the North', paid_by: 'Agency' })).body;
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: id });
  expect((await auction(booked, { regs })).seatbid[0].bid[0].ext.dsa).toEqual({
    behalf: 'Boots of the North',
    paid: 'Agency',
    adrender: 0,
  });
  await api('PATCH', `/advertisers/${id}`, { paid_by: null });
  expect((await auction(booked, { regs })).seatbid[0].bid[0].ext.dsa).toMatchObject({ paid: 'Boots of the North' });
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: null });
  await api('PATCH', `/creatives/${booked.creative}`, { advertiser_domain: 'boots.example' });
  expect((await auction(booked, { regs })).seatbid[0].bid[0].ext.dsa).toMatchObject({ behalf: 'boots.example', paid: 'boots.example' });
});

test('an auction in test mode takes nothing of a line item, has no billing notice, and says so to bidders', async () => {
  const booked = await book(api, 'direct', { daily_impression_cap: 1 });
  for (let i = 0; i < 3; i++) {
    const [bid] = (await auction(booked, { test: 1 })).seatbid[0].bid;
    expect(bid).toMatchObject({ id: 'test-1', adm: '<b>ad</b>', price: 2.5 });
    expect(bid).not.toHaveProperty('burl');
  }
  expect((await auction(booked)).seatbid[0].bid[0]).toHaveProperty('burl');
  expect((await auction(booked)).seatbid).toEqual([]);
  const bidder = (await api('POST', '/bidders', { name: 'PBS', endpoint: server.endpoint, params: { prebid: { bidder: { x: {} } } } }))
    .body;
  const programmatic = await book(api, 'programmatic', { type: 'programmatic', cpm: null, bidder_id: bidder.id, deal_id: 'gold' });
  expect((await auction(programmatic, { test: 1 })).seatbid).toHaveLength(1);
  expect(server.received.at(-1)?.body).toMatchObject({ test: 1 });
});

test('the block lists of the publisher and of the auction are sent, and enforced on bids and on direct creatives; the supply chain is passed on', async () => {
  const params = { prebid: { bidder: { x: {} } } };
  const bidder = (
    await api('POST', '/bidders', { name: 'PBS', endpoint: server.endpoint, params, schain_asi: 'ads.example', schain_sid: '7' })
  ).body;
  const booked = await book(api, 'clean', { type: 'programmatic', cpm: null, bidder_id: bidder.id, deal_id: 'gold' });
  const schain = { complete: 1, ver: '1.0', nodes: [{ asi: 'first.example', sid: '1', hp: 1 }] };
  const blocks = { bcat: ['IAB9'], badv: ['Bet.example', 7] };
  expect((await auction(booked, { ...blocks, source: { schain } })).seatbid).toHaveLength(1);
  const { body } = server.received.at(-1) as { body: Json };
  expect(body).toMatchObject({
    bcat: ['IAB9'],
    cattax: 1,
    badv: ['bet.example'],
    source: {
      schain: {
        complete: 1,
        nodes: [
          { asi: 'first.example', sid: '1', hp: 1 },
          { asi: 'ads.example', sid: '7', hp: 1, rid: body.source.tid },
        ],
      },
    },
  });
  expect((await auction(booked, { bcat: ['IAB1'] })).seatbid).toEqual([]);
  expect((await auction(booked, { acat: ['IAB2'] })).seatbid).toEqual([]);
  await api('PATCH', `/publishers/${booked.publisher.id}`, { bcat: ['IAB1'] });
  expect((await auction(booked)).seatbid).toEqual([]);

  const direct = await book(api, 'clean-direct');
  await api('PATCH', `/creatives/${direct.creative}`, { advertiser_domain: 'www.boots.example' });
  expect((await auction(direct, { badv: ['shoes.example'] })).seatbid).toHaveLength(1);
  expect((await auction(direct, { badv: ['boots.example'] })).seatbid).toEqual([]);

  // Without categories it is not judged by them.
  expect((await auction(direct, { acat: ['1'], cattax: 7 })).seatbid).toHaveLength(1);
  const advertiser = (await api('POST', '/advertisers', { name: 'Boots', categories: ['483', '552'] })).body;
  await api('PATCH', `/campaigns/${direct.campaign}`, { advertiser_id: advertiser.id });
  await fetch(`${replica.url}/reload`, { method: 'POST' });
  expect((await auction(direct)).seatbid[0].bid[0]).toMatchObject({ cat: ['483', '552'], cattax: 7 });
  expect((await auction(direct, { bcat: ['552'], cattax: 7 })).seatbid).toEqual([]);
  expect((await auction(direct, { bcat: ['552'] })).seatbid).toHaveLength(1);
  expect((await auction(direct, { acat: ['1'], cattax: 7 })).seatbid).toEqual([]);
});
