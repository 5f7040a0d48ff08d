import { browse } from '../../testkit/person.ts';
import { withClient } from '../../testkit/databases.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, book, each, itemsOf, serveAd, type ApiCall, type Booked } from '../api/api-client.ts';

let replica: Replica;
let databaseUrl: string;
let api: ApiCall;
let booked: Booked;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: '' } });
  api = apiOf(replica.url);
  booked = await book(api, 'sorted', { name: 'Middle', cpm: 5, goal_impressions: 100 });
});

const more = async (fields: object): Promise<number> =>
  (
    await api('POST', '/line_items', {
      ...{ campaign_id: booked.campaign, active: true, start_date: '2026-01-01', end_date: '2999-12-31' },
      ...fields,
    })
  ).body.id as number;
const ids = async (path: string) => each((await api('GET', path)).body, 'id');

test('a list is sorted by a field in either direction, with missing values last, and paged in that order', async () => {
  const cheap = await more({ name: 'zebra', cpm: 1 });
  const dear = await more({ name: 'Apple', cpm: 9 });
  const bid = await more({ name: 'Bids', type: 'programmatic', endpoint: 'https://bidder.example/', gvl_id: 1 });
  const of = `/line_items?campaign_id=${booked.campaign}`;
  expect(await ids(`${of}&sort=name`)).toEqual([dear, bid, booked.lineItem, cheap]);
  expect(await ids(`${of}&sort=-price`)).toEqual([dear, booked.lineItem, cheap, bid]);
  expect(await ids(`${of}&sort=price`)).toEqual([cheap, booked.lineItem, dear, bid]);
  const page = await api('GET', `${of}&sort=-price&limit=2&offset=1`);
  expect(each(page.body, 'id')).toEqual([booked.lineItem, cheap]);
  expect(page.headers.get('link')).toContain('offset=3');
  expect(await ids(`${of}&type=programmatic`)).toEqual([bid]);
  expect(await ids(`${of}&pacing=Even,PID`)).toEqual([]);
  expect(await ids(`/line_items?id=${dear}&id=${cheap}&sort=-id`)).toEqual([dear, cheap]);
});

test('an unknown order or value of a filter is refused with its pointer', async () => {
  const { status, body } = await api('GET', '/line_items?sort=colour&status=delivering,lazy&type=direct');
  expect([status, body.code, each(body.errors, 'pointer')]).toEqual([400, 'invalid_request', ['/sort', '/status/1']]);
});

test('a search finds each of its words in a record, its id or what it belongs to', async () => {
  const other = await book(api, 'searched', { name: 'Woollen 100% socks' });
  await api('PATCH', `/campaigns/${other.campaign}`, { name: 'Winter' });
  expect(await ids('/line_items?q=socks%20winter')).toEqual([other.lineItem]);
  expect(await ids('/line_items?q=100%25')).toEqual([other.lineItem]);
  expect(await ids(`/creatives?q=winter`)).toEqual([other.creative]);
  expect(await ids('/line_items?q=socks%20summer')).toEqual([]);
  expect(await ids(`/placements?q=300x250%20searched`)).toEqual(['searched']);
});

test('a list of one status has the records that the statuses say, right after a change too', async () => {
  const fresh = await book(api, 'judged');
  const of = `/line_items?publisher_id=${fresh.publisher.id}`;
  expect(await ids(`${of}&status=ready,delivering`)).toEqual([fresh.lineItem]);
  expect(await ids(`/campaigns?publisher_id=${fresh.publisher.id}&status=ready`)).toEqual([fresh.campaign]);
  await api('PATCH', `/line_items/${fresh.lineItem}`, { active: false });
  expect(await ids(`${of}&status=ready,delivering`)).toEqual([]);
  expect(await ids(`${of}&status=paused`)).toEqual([fresh.lineItem]);
});

test('a list that is sorted by status begins with what needs attention, in pages, and the other order is its reverse', async () => {
  const stuck = await book(api, 'stuck');
  const of = `/line_items?publisher_id=${stuck.publisher.id}`;
  const add = async (fields: object): Promise<number> =>
    (
      await api('POST', '/line_items', {
        ...{ campaign_id: stuck.campaign, name: 'More', active: true, cpm: 1, start_date: '2026-01-01', end_date: '2999-12-31' },
        ...fields,
      })
    ).body.id as number;
  const finished = await add({ end_date: '2026-01-02' });
  const bare = await add({});
  const bareToo = await add({});
  const order = [bare, bareToo, stuck.lineItem, finished];
  expect(await ids(`${of}&sort=status`)).toEqual(order);
  expect(await ids(`${of}&sort=status&limit=2&offset=1`)).toEqual(order.slice(1, 3));
  expect(await ids(`${of}&sort=-status`)).toEqual(order.toReversed());
  expect(await ids(`${of}&sort=status&status=ready,finished`)).toEqual([stuck.lineItem, finished]);
  expect(await ids(`/campaigns?id=${stuck.campaign}&sort=-status`)).toEqual([stuck.campaign]);
});

test('lists say how many records belong to each directly', async () => {
  await more({ name: 'Archived', archived: true });
  const { body } = await api('GET', `/campaigns?id=${booked.campaign}&include=children`);
  const listed = (await api('GET', `/line_items?campaign_id=${booked.campaign}`)).body.length as number;
  expect(itemsOf(body)[0].children).toEqual({ line_items: listed });
  const placements = await api('GET', '/placements?id=sorted&include=children');
  expect(itemsOf(placements.body)[0].children).toEqual({ creatives: 1 });
});

test('the delivery of a page of line items is that of the ledger, and sorts once it is stored', async () => {
  const bid = await serveAd(replica.url, booked);
  await browse(`${replica.url}${bid.impurl}`);
  const read = async () => (await api('GET', `/statuses?line_item_ids=${booked.lineItem}`)).body.deliveries[booked.lineItem];
  const deadline = Date.now() + 10_000;
  while ((await read()).impressions_today === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await read()).toEqual({
    live: true,
    impressions_today: 1,
    spend_today: 0.005,
    progress: { of: 'goal_impressions', done: 1, limit: 100 },
  });
  const first = async () => (await ids(`/line_items?campaign_id=${booked.campaign}&sort=-impressions_today&limit=1`))[0];
  while ((await first()) !== booked.lineItem && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await first()).toBe(booked.lineItem);
});

test('a list is grouped by what its records belong to, with the sums of each group in its order and of the whole list', async () => {
  const { publisher } = await book(api, 'summed');
  const campaign = async (name: string, fields: object = {}): Promise<number> =>
    (await api('POST', '/campaigns', { publisher_id: publisher.id, name, start_date: '2026-01-01', end_date: '2999-12-31', ...fields }))
      .body.id;
  const advertiser = (await api('POST', '/advertisers', { name: 'Boots' })).body.id as number;
  const [winter, autumn] = [await campaign('winter'), await campaign('Autumn', { advertiser_id: advertiser, budget: 20 })];
  const item = (campaign_id: number, name: string, goal_impressions: number | null = null) =>
    more({ campaign_id, name, goal_impressions, cpm: 2 });
  const [w1, a1, w2] = [await item(winter, 'b'), await item(autumn, 'c', 400), await item(winter, 'a', 50)];
  const days = [-1, -7, -8, -14, -15, 0];
  await withClient(databaseUrl, (client) =>
    client.query(
      `insert into daily_counts (day, publisher_id, campaign_id, line_item_id, creative_id, impressions, spend_micros)
       select cast(now() at time zone 'utc' as date) + day, $1, $2, $3, 1, 10, 2000000 from unnest($4::int[]) as day`,
      [publisher.id, autumn, a1, days],
    ),
  );
  const of = `publisher_id=${publisher.id}&q=`;
  const named = await ids(`/line_items?${of}&group_by=campaign&sort=name&id=${w1}&id=${w2}&id=${a1}`);
  expect(named).toEqual([a1, w2, w1]);
  expect(await ids(`/line_items?${of}&group_by=advertiser&sort=-name&id=${w1}&id=${w2}&id=${a1}`)).toEqual([a1, w1, w2]);
  const usd = (amount: number) => [{ currency: 'USD', amount }];
  const nothing = { impressions_today: 0, spend_today: [], week: { impressions: 0, before: 0 } };
  const delivered = { impressions_today: 10, spend_today: usd(2), week: { impressions: 20, before: 20 } };
  const sums = async (path: string) => (await api('GET', `/sums/${path}`)).body;
  expect(await sums(`line_items?group_by=campaign&id=${w1}&id=${w2}&id=${a1}`)).toEqual({
    total: { records: 3, ...delivered, goal_impressions: 450, budget: [] },
    groups: [
      { id: autumn, name: 'Autumn', records: 1, ...delivered, goal_impressions: 400, budget: [] },
      { id: winter, name: 'winter', records: 2, ...nothing, goal_impressions: 50, budget: [] },
    ],
    more_groups: false,
  });
  expect(await sums(`campaigns?group_by=advertiser&id=${winter}&id=${autumn}&status=cannot%20serve`)).toEqual({
    total: { records: 2, ...delivered, goal_impressions: 0, budget: usd(20) },
    groups: [
      { id: advertiser, name: 'Boots', records: 1, ...delivered, goal_impressions: 0, budget: usd(20) },
      { id: null, name: null, records: 1, ...nothing, goal_impressions: 0, budget: [] },
    ],
    more_groups: false,
  });
  expect((await sums(`line_items?campaign_id=${winter}&q=nothing`)).total.records).toBe(0);
  expect((await ids(`/line_items?${of}&sort=-impressions_week&limit=1`))[0]).toBe(a1);
  const { weeks } = (await api('GET', `/statuses?line_item_ids=${a1},${w1}&campaign_ids=${autumn}`)).body;
  expect(weeks).toEqual({ line_items: { [a1]: delivered.week }, campaigns: { [autumn]: delivered.week } });
  const refused = await api('GET', '/sums/line_items?group_by=colour');
  expect([refused.status, each(refused.body.errors, 'pointer')]).toEqual([400, ['/group_by']]);
});

test('a saved view replaces the one with its name, must be a query of its list, and is deleted by its owner', async () => {
  const save = (query: string) => api('POST', '/saved_views', { kind: 'line_items', name: 'Late', query });
  const first = await save('status=behind&sort=-price');
  expect(first.status).toBe(201);
  await save('status=behind');
  expect((await api('GET', '/saved_views')).body).toEqual([
    { id: first.body.id, kind: 'line_items', name: 'Late', query: 'status=behind' },
  ]);
  const refused = await save('status=lazy');
  expect([refused.status, each(refused.body.errors, 'pointer')]).toEqual([400, ['/query/status/0']]);
  await withClient(databaseUrl, (client) =>
    client.query("insert into saved_views (owner, kind, name, query) values ('other', 'line_items', 'Theirs', '')"),
  );
  const theirs = await withClient(databaseUrl, (client) =>
    client.query<{ id: number }>("select id from saved_views where owner = 'other'"),
  );
  expect((await api('DELETE', `/saved_views/${theirs.rows[0]?.id}`)).status).toBe(404);
  expect((await api('DELETE', `/saved_views/${first.body.id}`)).status).toBe(204);
  expect((await api('GET', '/saved_views')).body).toEqual([]);
});
