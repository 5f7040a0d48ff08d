import { browse, lookAtAd } from '../../testkit/person.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, book, each, serveAd, type ApiAnswer, type ApiCall, type Booked, type Json } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;
let databaseUrl: string;
const today = (offset = 0) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

const get = async (path: string): Promise<number> => (await browse(`${replica.url}${path}`)).status;

const serve = (booked: Booked, user?: string): Promise<Json> => serveAd(replica.url, booked, user);

const eventually = async (ask: () => Promise<ApiAnswer>, holds: (body: Json) => boolean): Promise<Json> => {
  for (let tries = 0; ; tries++) {
    const { body } = await ask();
    if (holds(body)) return body;
    if (tries > 100) throw new Error(`still not true: ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

describe('delivery', () => {
  test('shows today’s serves, impressions, clicks, events and money, live and by the hour', async () => {
    const booked = await book(api, 'figures', { cpm: 10, budget: 5, daily_impression_cap: 3, frequency_cap: 9, frequency_window: 60 });
    const bid = await serve(booked);
    await serve(booked, 'u2');
    expect(await get(bid.impurl)).toBe(200);
    await lookAtAd();
    for (const path of [bid.clkurl, `${bid.evturl}&type=like`]) expect(await get(path)).toBe(200);
    const path = `/line_items/${booked.lineItem}/delivery`;
    const delivery = await eventually(
      () => api('GET', path),
      ({ hourly, today: { events }, last_days }) =>
        (each(hourly, 'clicks') as number[]).at(-1) === 1 && events.like === 1 && (each(last_days, 'clicks') as number[]).at(-1) === 1,
    );
    expect(delivery).toMatchObject({
      line_item_id: booked.lineItem,
      day: today(),
      live: true,
      status: { value: 'delivering', reasons: [], off_pace: 0, held_until: null },
      today: { serves: 2, impressions: 1, clicks: 1, spend: 0.01, held: 1, committed: 2, events: { like: 1 } },
      yesterday: { serves: 0, impressions: 0, clicks: 0, spend: 0, events: {} },
      total: { impressions: 1, spend: 0.01 },
      limits: { daily_impression_cap: 3, daily_spend_cap: null, budget: 5, campaign_budget: null, campaign_spend: 0.01 },
      pacing: { mode: 'ASAP', target: null, permits: null },
      frequency: [{ scope: 'line_item', of: 'impressions', max: 9, window: 60 }],
    });
    expect(delivery.last_days).toHaveLength(14);
    expect(delivery.last_days[13]).toMatchObject({ day: today(), impressions: 1, clicks: 1, spend: 0.01 });
    expect(delivery.pacing.curve).toHaveLength(24);
    expect((delivery.pacing.curve as number[]).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
    expect(delivery.hourly).toHaveLength(new Date(delivery.at).getUTCHours() + 1);
  });

  test.each([
    ['paused', { active: false }, /line item is paused/],
    ['archived', { archived: true, active: false }, /line item is archived/],
    ['finished', { end_date: '2026-01-02', active: false }, /ended with 2026-01-02/],
    ['scheduled', { start_date: '2999-01-01' }, /begins 2999-01-01/],
    ['capped', { daily_impression_cap: 0 }, /cap is delivered or reserved/],
    ['budget spent', { budget: 0.002 }, /all of the budget/],
    ['behind', { goal_impressions: 100_000, end_date: today(10) }, /^Behind by 100%: 0 of 100,000 impressions/],
    ['ready', { pacing: 'Even', daily_impression_cap: 100_000 }, undefined],
  ])('says that a line item is %s, and why', async (value, changes, reason) => {
    const { lineItem } = await book(api, `status ${value}`, changes);
    const { body } = await api('GET', `/line_items/${lineItem}/delivery`);
    expect(body.status.value).toBe(value);
    if (reason) expect(body.status.reasons[0]).toMatch(reason);
    if (value === 'ready') expect(body.pacing).toMatchObject({ mode: 'Even', target: expect.any(Number) });
  });

  test('a line item whose creatives are all blocked cannot serve', async () => {
    const { lineItem, creative } = await book(api, 'all blocked');
    await api('POST', `/creatives/${creative}/block`);
    const { status } = (await api('GET', `/line_items/${lineItem}/delivery`)).body;
    expect(status).toMatchObject({ value: 'cannot serve', reasons: [`creative ${creative}: the creative is blocked`] });
    await api('DELETE', `/creatives/${creative}`);
    expect((await api('GET', `/line_items/${lineItem}/delivery`)).body.status.reasons).toEqual(['it has no creative']);
  });

  test('without Redis the stored figures are shown and marked as not live', async () => {
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: 'redis://127.0.0.1:1', RELOAD_INTERVAL: '0' };
    const withoutRedis = await startReplica({ env });
    const { lineItem } = await book(api, 'no counters');
    const alone = apiOf(withoutRedis.url);
    await fetch(`${withoutRedis.url}/reload`, { method: 'POST' });
    const { status, body } = await alone('GET', `/line_items/${lineItem}/delivery`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ live: false, today: { held: null, serves: 0 }, status: { value: 'delivering' } });
    expect(body.status.reasons).toEqual([expect.stringMatching(/counters are unavailable/)]);
  });
});

describe('a campaign’s report', () => {
  let anyCampaign: number;
  beforeAll(async () => {
    ({ campaign: anyCampaign } = await book(api, 'any'));
  });

  test('has a row per day, line item and creative, with rates and totals', async () => {
    const booked = await book(api, 'report', { name: '=cmd|"x",1', cpm: 4 });
    for (const user of ['a', 'b']) {
      const bid = await serve(booked, user);
      await get(bid.impurl);
      if (user === 'a') await lookAtAd();
      if (user === 'a') for (const path of [bid.clkurl, `${bid.evturl}&type=share`]) await get(path);
    }
    const path = `/campaigns/${booked.campaign}/report?from=${today()}&to=${today()}`;
    const report = await eventually(
      () => api('GET', path),
      ({ totals }) => totals.impressions === 2 && totals.clicks === 1 && totals.serves === 2 && totals.events.share === 1,
    );
    const figures = {
      ...{ serves: 2, gross_impressions: 2, filtered_impressions: 0, impressions: 2, gross_clicks: 1, filtered_clicks: 0, clicks: 1 },
      ...{ provisional_impressions: 0, provisional_clicks: 0, viewable: 0, ctr: 0.5, events: { share: 1 } },
      ...{ filtered: {}, spend: 0.008, ecpm: 4 },
    };
    expect(report).toEqual({
      campaign_id: booked.campaign,
      ...{ currency: 'USD', currencies: ['USD'] },
      from: today(),
      to: today(),
      row_count: 1,
      rows: [{ day: today(), line_item_id: booked.lineItem, line_item: '=cmd|"x",1', creative_id: booked.creative, ...figures }],
      totals: figures,
      flat_fees: 0,
    });

    const csv = await api('GET', path, undefined, { Accept: 'text/csv' });
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(csv.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(csv.body).toBe(
      'day,line_item_id,line_item,creative_id,serves,gross_impressions,filtered_impressions,provisional_impressions,impressions,gross_clicks,filtered_clicks,provisional_clicks,clicks,viewable,ctr,event_share,spend,ecpm\r\n' +
        `${today()},${booked.lineItem},"'=cmd|""x"",1",${booked.creative},2,2,0,0,2,1,0,0,1,0,0.5,1,0.008,4\r\n`,
    );
    expect((await api('GET', `${path}&format=csv`)).body).toBe(csv.body);
  });

  test('shows the fee of a Flat line item as the spend of each day, and the whole fee over its flight', async () => {
    const flight = { start_date: today(-1), end_date: today(1) };
    const booked = await book(api, 'fee', { ...flight, budget_type: 'Flat', cpm: null, budget: 10 });
    await get((await serve(booked, 'a')).impurl);
    const path = `/campaigns/${booked.campaign}/report?from=${today(-2)}&to=${today(2)}`;
    const report = await eventually(
      () => api('GET', path),
      ({ totals }) => totals.impressions === 1 && totals.serves === 1,
    );
    const figuresOf = ({ day, creative_id, spend, ecpm }: Json) => [day, creative_id, spend, ecpm];
    const rows = report.rows as Json[];
    expect(rows.map(figuresOf)).toEqual([
      [today(-1), null, 3.333333, 0],
      [today(), booked.creative, 3.333333, 3333.333],
      [today(1), null, 3.333334, 0],
    ]);
    expect(report.totals).toMatchObject({ spend: 10, ecpm: 10_000 });
    expect([report.row_count, report.flat_fees]).toEqual([3, 10]);
    const first = await api('GET', `${path}&limit=2`);
    expect([first.body.rows, first.body.totals]).toEqual([rows.slice(0, 2), report.totals]);
    const next = /^<\/api(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await api('GET', next);
    expect([second.body.rows, second.headers.get('link')]).toEqual([rows.slice(2), null]);
    const csv = (await api('GET', `${path}&format=csv`)).body as string;
    expect(csv.split('\r\n')[1]).toBe(`${today(-1)},${booked.lineItem},Boots,,0,0,0,0,0,0,0,0,0,0,0,3.333333,0`);
    // The fee bounds nothing, and the page of the line item shows no budget.
    expect((await api('GET', `/line_items/${booked.lineItem}/delivery`)).body.limits).toMatchObject({
      budget: null,
      campaign_budget: null,
    });
  });

  test.each([
    'from=yesterday',
    'from=2026-02-02&to=2026-02-01',
    'from=2020-01-01&to=2026-01-01',
    'to=2026-02-30',
    'format=xml',
    'limit=501',
  ])('with %s is refused', async (query) => {
    expect((await api('GET', `/campaigns/${anyCampaign}/report?${query}`)).status).toBe(400);
  });

  test('of an unknown campaign is not found', async () => {
    expect((await api('GET', '/campaigns/999999/report')).status).toBe(404);
  });
});

test('quality reports are counted by creative and reason, with the state of the creative', async () => {
  const booked = await book(api, 'quality');
  const second = { id: 'quality-2', publisher_id: booked.publisher.id, width: 300, height: 250, formats: ['html'] };
  expect((await api('POST', '/placements', second)).status).toBe(201);
  await api('PATCH', `/creatives/${booked.creative}`, { placement_ids: ['quality', 'quality-2'] });
  const bids = [await serve(booked, 'a'), await serve(booked, 'b')];
  for (const [i, { impurl }] of bids.entries()) {
    const token = new URL(impurl, replica.url).searchParams.get('t');
    const report = { token, reason: ['offensive', 'malware'][i] };
    expect((await fetch(`${replica.url}/report`, { method: 'POST', body: JSON.stringify(report) })).status).toBe(201);
  }
  const path = `/complaints?publisher_id=${booked.publisher.id}`;
  const [row] = (await api('GET', path)).body;
  expect(row).toMatchObject({
    creative_id: booked.creative,
    line_item_id: booked.lineItem,
    total: 2,
    reasons: { offensive: 1, malware: 1 },
    blocked_at: null,
    deleted: false,
    placement_id: 'quality',
    placement_ids: ['quality', 'quality-2'],
    line_item: 'Boots',
  });
  await api('POST', `/creatives/${row.creative_id}/block`);
  expect((await api('GET', path)).body[0].blocked_at).toMatch(/^\d{4}-/);
  expect(await serve(booked)).toBeUndefined();
  await api('POST', `/creatives/${row.creative_id}/unblock`);
  expect(await serve(booked)).toBeDefined();
  await api('DELETE', `/creatives/${row.creative_id}`);
  expect((await api('GET', path)).body[0]).toMatchObject({ total: 2, deleted: true, placement_ids: [] });
});
