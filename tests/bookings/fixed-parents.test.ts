import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, book, serveAd, type ApiAnswer, type ApiCall, type Booked } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;

beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

const FLIGHT = { start_date: '2026-01-01', end_date: '2999-12-31' };
const create = async (path: string, body: object): Promise<number> => (await api('POST', path, body)).body.id;
const addCampaign = ({ publisher }: Booked) => create('/campaigns', { publisher_id: publisher.id, name: 'Other', ...FLIGHT });
const addLineItem = (campaign: number, more: object = {}) =>
  create('/line_items', { campaign_id: campaign, active: true, cpm: 1, ...FLIGHT, ...more });
const addCreative = ({ placement }: Booked, lineItem: number) =>
  create('/creatives', { placement_id: placement, line_item_id: lineItem, format: 'html', content: 'x' });

const expectFixed = ({ status, headers, body }: ApiAnswer, field: string): void => {
  expect([status, headers.get('content-type'), body.code]).toEqual([409, 'application/problem+json', 'parent_fixed']);
  expect(body.errors).toEqual([{ pointer: `/${field}`, detail: expect.stringContaining('duplicate it instead') }]);
};

test('the parents of an ad that was just served cannot change, by PATCH or PUT, and stay fixed when it is paused', async () => {
  const booked = await book(api, 'served');
  const other = await book(api, 'elsewhere');
  const campaign = await addCampaign(booked);
  const lineItem = await addLineItem(campaign, { active: false });
  expect(await serveAd(replica.url, booked)).toMatchObject({ crid: String(booked.creative) });

  expectFixed(await api('PATCH', `/line_items/${booked.lineItem}`, { campaign_id: campaign }), 'campaign_id');
  expectFixed(await api('PATCH', `/campaigns/${booked.campaign}`, { publisher_id: other.publisher.id }), 'publisher_id');
  expectFixed(await api('PATCH', `/creatives/${booked.creative}`, { line_item_id: lineItem }), 'line_item_id');

  const paused = await api('PATCH', `/line_items/${booked.lineItem}`, { active: false, name: 'Paused' });
  expect(paused.body).toMatchObject({ active: false, name: 'Paused', campaign_id: booked.campaign });
  await api('DELETE', `/creatives/${booked.creative}`);
  expectFixed(await api('PUT', `/line_items/${booked.lineItem}`, { ...paused.body, campaign_id: campaign }), 'campaign_id');
  expect((await api('GET', `/line_items/${booked.lineItem}`)).body).toEqual(paused.body);
});

test('a parent is fixed as soon as the line item could be served, before a replica serves it', async () => {
  const booked = await book(api, 'servable', { start_date: '2998-01-01' });
  expectFixed(await api('PATCH', `/line_items/${booked.lineItem}`, { campaign_id: await addCampaign(booked) }), 'campaign_id');
  await api('DELETE', `/line_items/${booked.lineItem}`);
  const other = await book(api, 'not servable');
  expectFixed(await api('PATCH', `/campaigns/${booked.campaign}`, { publisher_id: other.publisher.id }), 'publisher_id');
});

test('parents change while a line item was never active with a creative, and count from the change on', async () => {
  const booked = await book(api, 'draft');
  const [from, to] = [await addCampaign(booked), await addCampaign(booked)];
  const [paused, empty] = [await addLineItem(from, { active: false }), await addLineItem(from)];
  const creative = await addCreative(booked, paused);
  expect((await api('PATCH', `/line_items/${paused}`, { campaign_id: to })).body).toMatchObject({ campaign_id: to });
  expect((await api('PATCH', `/line_items/${empty}`, { campaign_id: to })).status).toBe(200);
  const twin = await addLineItem(to, { active: false });
  expect((await api('PATCH', `/creatives/${creative}`, { line_item_id: twin })).body).toMatchObject({ line_item_id: twin });
  const publisher_id = (await book(api, 'draft elsewhere')).publisher.id;
  expect((await api('PATCH', `/campaigns/${from}`, { publisher_id })).body).toMatchObject({ publisher_id });

  // A creative that moves in, and a line item that becomes active, are servable from then on.
  expect((await api('PATCH', `/creatives/${creative}`, { line_item_id: empty })).status).toBe(200);
  expectFixed(await api('PATCH', `/line_items/${empty}`, { campaign_id: booked.campaign }), 'campaign_id');
  await addCreative(booked, twin);
  expect((await api('PATCH', `/line_items/${twin}`, { campaign_id: booked.campaign, active: true })).status).toBe(200);
  expectFixed(await api('PATCH', `/line_items/${twin}`, { campaign_id: to }), 'campaign_id');
});
