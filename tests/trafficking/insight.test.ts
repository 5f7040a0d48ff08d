import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { withClient } from '../../testkit/databases.ts';
import { startReplica } from '../setup/start-replica.ts';
import type { Replica } from '../setup/start-replica.ts';
import { apiOf, askForAd, book, each } from './api-client.ts';
import type { ApiAnswer, ApiCall, Booked, Json } from './api-client.ts';

let replica: Replica;
let api: ApiCall;
let databaseUrl: string;
const today = () => new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

const get = async (path: string): Promise<number> => (await fetch(`${replica.url}${path}`, { redirect: 'manual' })).status;

const serve = async (booked: Booked, user?: string): Promise<Json> => {
  const { body } = await askForAd(replica.url, booked, user);
  return body.seatbid[0]?.bid[0];
};

const eventually = async (ask: () => Promise<ApiAnswer>, holds: (body: Json) => boolean): Promise<Json> => {
  for (let tries = 0; ; tries++) {
    const { body } = await ask();
    if (holds(body)) return body;
    if (tries > 100) throw new Error(`did not come true: ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

describe('delivery', () => {
  test('shows today’s serves, impressions, clicks, events and money, live and by the hour', async () => {
    const booked = await book(api, 'figures', { cpm: 10, budget: 5, daily_impression_cap: 3, frequency_cap: 9, frequency_window: 60 });
    const bid = await serve(booked);
    await serve(booked, 'u2');
    for (const path of [bid.impurl, bid.clkurl, `${bid.evturl}&type=like`]) expect(await get(path)).toBe(200);
    const path = `/line_items/${booked.lineItem}/delivery`;
    const delivery = await eventually(
      () => api('GET', path),
      ({ hourly, today: { events } }) => (each(hourly, 'clicks') as number[]).at(-1) === 1 && events.like === 1,
    );
    expect(delivery).toMatchObject({
      line_item_id: booked.lineItem,
      day: today(),
      live: true,
      status: { value: 'active', reasons: [] },
      today: { serves: 2, impressions: 1, clicks: 1, spend: 0.01, held: 1, committed: 2, events: { like: 1 } },
      yesterday: { serves: 0, impressions: 0, clicks: 0, spend: 0, events: {} },
      total: { impressions: 1, spend: 0.01 },
      limits: { daily_impression_cap: 3, daily_spend_cap: null, budget: 5, campaign_budget: null, campaign_spend: 0.01 },
      pacing: { mode: 'ASAP', target: null, allowance: null },
      frequency: { places: 9, window: 60 },
    });
    expect(delivery.last_days).toHaveLength(14);
    expect(delivery.last_days[13]).toMatchObject({ day: today(), impressions: 1, clicks: 1, spend: 0.01 });
    expect(delivery.pacing.curve).toHaveLength(24);
    expect((delivery.pacing.curve as number[]).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
    expect(delivery.hourly).toHaveLength(new Date(delivery.at).getUTCHours() + 1);
  });

  test.each([
    ['paused', { active: false }, /switched off/],
    ['ended', { end_date: '2026-01-02', active: false }, /ended with 2026-01-02/],
    ['scheduled', { start_date: '2999-01-01' }, /begins 2999-01-01/],
    ['capped', { daily_impression_cap: 0 }, /cap is delivered or reserved/],
    ['budget spent', { budget: 0.002 }, /all of the budget/],
    ['active', { pacing: 'Even', daily_impression_cap: 100_000 }, undefined],
  ])('says that a line item is %s, and why', async (value, changes, reason) => {
    const { lineItem } = await book(api, `status ${value}`, changes);
    const { body } = await api('GET', `/line_items/${lineItem}/delivery`);
    expect(body.status.value).toBe(value);
    if (reason) expect(body.status.reasons[0]).toMatch(reason);
    if (value === 'active') expect(body.pacing).toMatchObject({ mode: 'Even', target: expect.any(Number) });
  });

  test('a line item whose creatives are all blocked is blocked', async () => {
    const { lineItem, creative } = await book(api, 'all blocked');
    await api('POST', `/creatives/${creative}/block`);
    const { status } = (await api('GET', `/line_items/${lineItem}/delivery`)).body;
    expect(status).toEqual({ value: 'blocked', reasons: [`creative ${creative}: the creative is blocked`] });
    await api('DELETE', `/creatives/${creative}`);
    expect((await api('GET', `/line_items/${lineItem}/delivery`)).body.status.reasons).toEqual(['it has no creative']);
  });

  test('without Redis the figures that are stored are shown, and that they are not live', async () => {
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: 'redis://127.0.0.1:1', RELOAD_INTERVAL: '0' };
    const lonely = await startReplica({ env });
    const { lineItem } = await book(api, 'no counters');
    const alone = apiOf(lonely.url);
    await fetch(`${lonely.url}/reload`, { method: 'POST' });
    const { status, body } = await alone('GET', `/line_items/${lineItem}/delivery`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ live: false, today: { held: null, serves: 0 }, status: { value: 'active' } });
    expect(body.status.reasons).toEqual([expect.stringMatching(/counters do not answer/)]);
  });
});

describe('a campaign’s report', () => {
  test('counts days × line items × creatives, with rates and sums', async () => {
    const booked = await book(api, 'report', { name: '=cmd|"x",1', cpm: 4 });
    for (const user of ['a', 'b']) {
      const bid = await serve(booked, user);
      await get(bid.impurl);
      if (user === 'a') for (const path of [bid.clkurl, `${bid.evturl}&type=share`]) await get(path);
    }
    const path = `/campaigns/${booked.campaign}/report?from=${today()}&to=${today()}`;
    const report = await eventually(
      () => api('GET', path),
      ({ totals }) => totals.impressions === 2 && totals.clicks === 1 && totals.serves === 2 && totals.events.share === 1,
    );
    const figures = { serves: 2, impressions: 2, clicks: 1, ctr: 0.5, events: { share: 1 }, spend: 0.008, ecpm: 4 };
    expect(report).toEqual({
      campaign_id: booked.campaign,
      from: today(),
      to: today(),
      rows: [{ day: today(), line_item_id: booked.lineItem, line_item: '=cmd|"x",1', creative_id: booked.creative, ...figures }],
      totals: figures,
    });

    const csv = await api('GET', path, undefined, { Accept: 'text/csv' });
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(csv.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(csv.body).toBe(
      'day,line_item_id,line_item,creative_id,serves,impressions,clicks,ctr,event_share,spend,ecpm\r\n' +
        `${today()},${booked.lineItem},"'=cmd|""x"",1",${booked.creative},2,2,1,0.5,1,0.008,4\r\n`,
    );
    expect((await api('GET', `${path}&format=csv`)).body).toBe(csv.body);
  });

  test.each(['from=yesterday', 'from=2026-02-02&to=2026-02-01', 'from=2020-01-01&to=2026-01-01', 'to=2026-02-30', 'format=xml'])(
    'with %s is refused',
    async (query) => {
      const { campaign } = await book(api, `refused ${query}`);
      expect((await api('GET', `/campaigns/${campaign}/report?${query}`)).status).toBe(400);
    },
  );

  test('of a campaign that never was is not found', async () => {
    expect((await api('GET', '/campaigns/999999/report')).status).toBe(404);
  });
});

test('quality reports are counted by creative and reason, and a creative can be blocked from there', async () => {
  const booked = await book(api, 'quality');
  const bids = [await serve(booked, 'a'), await serve(booked, 'b')];
  for (const [i, { impurl }] of bids.entries()) {
    const token = new URL(impurl, replica.url).searchParams.get('t');
    const report = { token, reason: ['offensive', 'malware'][i] };
    expect((await fetch(`${replica.url}/report`, { method: 'POST', body: JSON.stringify(report) })).status).toBe(201);
  }
  const path = `/reports?publisher_id=${booked.publisher.id}`;
  const [row] = (await api('GET', path)).body;
  expect(row).toMatchObject({
    creative_id: booked.creative,
    line_item_id: booked.lineItem,
    total: 2,
    reasons: { offensive: 1, malware: 1 },
    blocked_at: null,
    deleted: false,
    placement_id: 'quality',
    line_item: 'Boots',
  });
  await api('POST', `/creatives/${row.creative_id}/block`);
  expect((await api('GET', path)).body[0].blocked_at).toMatch(/^\d{4}-/);
  expect(await serve(booked)).toBeUndefined();
  await api('POST', `/creatives/${row.creative_id}/unblock`);
  expect(await serve(booked)).toBeDefined();
  await api('DELETE', `/creatives/${row.creative_id}`);
  expect((await api('GET', path)).body[0]).toMatchObject({ total: 2, deleted: true });
});

describe('why not', () => {
  const explain = async ({ publisher, placement, lineItem }: Booked, changes: object = {}, id = lineItem): Promise<Json> => {
    const request = { id: 'r', imp: [{ id: '1', tagid: placement }], user: { id: 'u1' }, ext: { publisher_id: publisher.id }, ...changes };
    return (await api('POST', '/explain', { request, line_item_id: id })).body;
  };

  test.each([
    ['targeting', { targeting: { countries: ['JP'] } }, 503, /country is .* wanted JP/],
    ['targeting', { targeting: { dimensions: { section: ['sport'] } } }, 503, /section wanted sport/],
    ['flight', { active: false }, 502, /not active|paused/],
    ['flight', { start_date: '2999-01-01' }, 502, /not started/],
    ['limits', { daily_impression_cap: 0 }, 505, /impressions today: 0 counted and 0 reserved of 0/],
    ['limits', { budget: 0.001 }, 504, /budget: 0 counted and 0 reserved of 0.001 USD/],
  ])('stopped at %s by %j', async (stage, changes, nbr, detail) => {
    const booked = await book(api, `why ${JSON.stringify(changes)}`, changes);
    const { outcome, summary, creatives } = await explain(booked);
    expect([outcome, creatives[0].stage, creatives[0].nbr]).toEqual(['stopped', stage, nbr]);
    expect(summary).toMatch(detail);
    expect((await askForAd(replica.url, booked)).body.nbr).toBe(nbr);
  });

  test('a user who has seen enough, with the places that the user holds', async () => {
    const booked = await book(api, 'why frequency', { frequency_cap: 1 });
    expect(await explain(booked)).toMatchObject({ outcome: 'wins', creatives: [{ limits: { frequency: { places_held: 0, places: 1 } } }] });
    await serve(booked);
    expect(await explain(booked)).toMatchObject({ outcome: 'stopped', creatives: [{ nbr: 9, limits: { frequency: { places_held: 1 } } }] });
    expect(await explain(booked, { user: { id: 'somebody else' } })).toMatchObject({ outcome: 'wins' });
  });

  test('behind whom it would be offered, and whom it ties with', async () => {
    const booked = await book(api, 'why rank', { cpm: 2 });
    const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
    const rival = async (fields: object): Promise<number> => {
      const item = { campaign_id: booked.campaign, name: 'rival', active: true, ...flight, ...fields };
      const { id } = (await api('POST', '/line_items', item)).body;
      await api('POST', '/creatives', { placement_id: booked.placement, line_item_id: id, format: 'html', content: 'x' });
      return id;
    };
    const tied = await rival({ cpm: 2 });
    expect(await explain(booked)).toMatchObject({ outcome: 'tied', creatives: [{ rank: 1, of: 2 }] });
    const richer = await rival({ cpm: 3 });
    await rival({ cpm: 9, daily_impression_cap: 0 });
    const { outcome, summary, creatives } = await explain(booked);
    expect(outcome).toBe('outranked');
    expect(creatives[0]).toMatchObject({ rank: 2, of: 3, ecpm: 2, behind: [{ line_item_id: richer, priority: 2, ecpm: 3 }] });
    expect(summary).toBe(
      `it would be offered at rank 2 of 3, with priority 2 and an eCPM of 2 USD, behind line item ${richer} (priority 2, 3 USD)`,
    );
    expect(await explain(booked, {}, richer)).toMatchObject({ outcome: 'wins' });
    expect(await explain(booked, {}, tied)).toMatchObject({ outcome: 'outranked' });
  });

  test('a programmatic line item depends on its bid, and its bidder is not asked', async () => {
    const booked = await book(api, 'why bid', { type: 'programmatic', endpoint: 'http://127.0.0.1:9/' });
    expect(await explain(booked)).toMatchObject({ outcome: 'depends_on_bid', creatives: [{ stage: 'bidders' }] });
  });

  test('a creative elsewhere, a foreign publisher, a line item without creatives', async () => {
    const [one, two] = [await book(api, 'why one'), await book(api, 'why two')];
    expect((await explain({ ...one, placement: 'why two' })).summary).toMatch(/is on placement why one/);
    expect((await explain(one, {}, two.lineItem)).summary).toMatch(/belongs to publisher/);
    await api('DELETE', `/creatives/${one.creative}`);
    expect((await explain(one)).summary).toMatch(/no creative/);
  });

  test('takes nothing and counts nothing', async () => {
    const booked = await book(api, 'why free', { daily_impression_cap: 1, frequency_cap: 1, rate_limit: 1, pacing: 'PID' });
    for (let i = 0; i < 5; i++) expect((await explain(booked)).outcome).toBe('wins');
    expect((await api('GET', `/line_items/${booked.lineItem}/delivery`)).body.today).toMatchObject({ serves: 0, committed: 0 });
    const stored = await withClient(databaseUrl, (client) =>
      client.query('select count(*)::int as count from daily_counts where line_item_id = $1', [booked.lineItem]),
    );
    expect(stored.rows[0].count).toBe(0);
    expect(await serve(booked)).toBeDefined();
  });

  test('a question with faults is told all of them', async () => {
    const bad = await api('POST', '/explain', { request: { id: 'r', imp: [], user: {}, ext: {} }, line_item_id: 'x' });
    expect(each(bad.body.errors, 'pointer')).toEqual(['/line_item_id', '/request/imp', '/request/user/id', '/request/ext/publisher_id']);
    const request = { id: 'r', imp: [{ id: '1', tagid: 't' }], user: { id: 'u' }, ext: { publisher_id: 999_999, kv: { age: 'old' } } };
    expect((await api('POST', '/explain', { request, line_item_id: 1 })).body.errors).toHaveLength(2);
    const { publisher } = await book(api, 'why unknown');
    const known = { ...request, ext: { publisher_id: publisher.id } };
    expect((await api('POST', '/explain', { request: known, line_item_id: 999_999 })).status).toBe(404);
  });
});
