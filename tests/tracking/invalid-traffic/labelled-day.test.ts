import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import knexFactory, { type Knex } from 'knex';
import { BROWSER_HEADERS, lookAtAd } from '../../../testkit/person.ts';
import { CLICK_TIMES } from '../../../src/ledger/settle/click-times.ts';
import { restAfterRound } from '../../../src/events/postgres/reconciliation.ts';
import { eventually, PATIENCE_MS } from '../../../testkit/until.ts';
import { LEDGER_SHARDS, startReplica, type Replica } from '../../setup/start-replica.ts';
import { testDatabase } from '../../setup/test-database.ts';
import { testRedisUrl } from '../../setup/test-redis-url.ts';
import { apiOf, book, type ApiCall, type Booked, type Json } from '../../api/api-client.ts';
import { readMetrics } from '../../../testkit/read-metrics.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const PAGE = 'https://news.example';
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const FIREFOX = BROWSER_HEADERS['user-agent'];
const CLOUD = '203.0.113.9';

let replica: Replica;
let api: ApiCall;
let knex: Knex;
let redis: Redis;
let booked: Booked;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const redisUrl = await testRedisUrl();
  const list = path.join(temporaryFolder(), 'clouds');
  writeFileSync(list, '203.0.113.0/24\n');
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, DATACENTER_ADDRESSES: list } });
  api = apiOf(replica.url);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  redis = new Redis(redisUrl);
  booked = await book(api, 'day', { budget_type: 'CPC', cpm: null, cpc: 0.5 });
  await api('PATCH', `/publishers/${booked.publisher.id}`, { origins: [PAGE] });
});
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

type Headers = Readonly<Record<string, string>>;
interface Bid {
  readonly impurl: string;
  readonly clkurl: string;
  readonly evturl: string;
}

/** The label of each token, and each hit on it: what must become of it. '' counts; repeats are not listed. */
const expected = new Map<string, Record<string, string[]>>();
const expectHit = (url: string, kind: string, reason: string): void => {
  const jti = JSON.parse(Buffer.from(url.split('.')[1] ?? '', 'base64url').toString()).jti as string;
  const hits = expected.get(jti) ?? {};
  expected.set(jti, { ...hits, [kind]: [...(hits[kind] ?? []), reason].sort() });
};

let visitors = 0;
const visit = (userAgent = CHROME): Headers => ({
  'user-agent': userAgent,
  // Each in a network of its own: in this day people click half of their ads.
  'x-forwarded-for': `${20 + (++visitors >> 8)}.${visitors & 255}.7.1`,
  origin: PAGE,
});
const ask = async (headers: Headers, more: object = {}): Promise<Bid> => {
  const body = {
    ...more,
    id: 'r',
    imp: [{ id: '1', tagid: booked.placement }],
    user: { id: `u${visitors}` },
    ext: { publisher_id: booked.publisher.id },
  };
  const answer = await fetch(`${replica.url}/ad`, {
    method: 'POST',
    headers: { ...headers, 'x-api-key': booked.publisher.api_key },
    body: JSON.stringify(body),
  });
  return ((await answer.json()) as { seatbid: { bid: Bid[] }[] }).seatbid[0]!.bid[0]!;
};
const send = async (url: string, headers: Headers): Promise<void> => {
  expect((await fetch(replica.url + url, { headers, redirect: 'manual' })).status).toBe(200);
};
const see = async (bid: Bid, headers: Headers, reason = '', more = ''): Promise<void> => {
  await send(bid.impurl + more, headers);
  expectHit(bid.impurl, 'impression', reason);
};
const click = async (bid: Bid, headers: Headers, reason = ''): Promise<void> => {
  await send(bid.clkurl, headers);
  expectHit(bid.clkurl, 'click', reason);
};

const people: Readonly<Record<string, () => Promise<void>>> = {
  'sees an ad, likes it and clicks': async () => {
    const headers = visit();
    const bid = await ask(headers);
    await see(bid, headers);
    await send(`${bid.evturl}&type=like`, headers);
    expectHit(bid.evturl, 'event', '');
    await lookAtAd();
    await click(bid, headers);
  },
  'sends each pixel three times': async () => {
    const headers = visit(FIREFOX);
    const bid = await ask(headers);
    await see(bid, headers);
    await lookAtAd();
    await click(bid, headers);
    for (const url of [bid.impurl, bid.clkurl, bid.impurl, bid.clkurl]) await send(url, headers);
  },
  'clicks before the pixel arrives': async () => {
    const headers = visit();
    const bid = await ask(headers);
    await lookAtAd();
    await click(bid, headers);
    await see(bid, headers);
  },
  'clicks while the pixel is on its way': async () => {
    const headers = visit();
    const bid = await ask(headers);
    await lookAtAd();
    await Promise.all([click(bid, headers), lookAtAd().then(() => see(bid, headers))]);
  },
  'changes from mobile data to wireless': async () => {
    const headers = visit();
    const bid = await ask(headers);
    await see(bid, { ...headers, 'x-forwarded-for': '192.0.2.50' });
  },
  'has a browser that names no page': async () => {
    const { origin: _, ...headers } = visit();
    await see(await ask(headers), headers);
  },
  'has an ad in a prerendered page, and looks at it later': async () => {
    const headers = visit();
    const bid = await ask(headers);
    await see(bid, { ...headers, 'sec-purpose': 'prefetch;prerender' }, 'prefetch');
    await see(bid, headers);
  },
  'has an ad from the publisher’s server': async () => {
    const bid = await ask({ 'user-agent': 'python-requests/2.32.3' });
    await see(bid, visit());
  },
  'has an ad below the fold that is never shown': async () => void (await ask(visit())),
};

const others: Readonly<Record<string, () => Promise<void>>> = {
  'a spider': async () => {
    const headers = visit('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)');
    const bid = await ask(headers);
    await see(bid, headers, 'spider');
    await lookAtAd();
    await click(bid, headers, 'spider');
    await send(`${bid.evturl}&type=like`, headers);
    expectHit(bid.evturl, 'event', 'spider');
  },
  'a program': async () => {
    const headers = { 'user-agent': 'python-requests/2.32.3' };
    const bid = await ask(headers);
    await see(bid, headers, 'spider');
    await click(bid, headers, 'spider');
  },
  'a client without a user agent': async () => {
    const headers = visit('');
    await see(await ask(headers), headers, 'malformed_agent');
  },
  'a browser in a data center': async () => {
    const headers = { ...visit(), 'x-forwarded-for': CLOUD };
    const bid = await ask(headers);
    await see(bid, headers, 'data_center');
    await lookAtAd();
    await click(bid, headers, 'data_center');
  },
  'a page that the publisher does not list': async () => {
    const bid = await ask(visit());
    await see(bid, { ...visit(), origin: 'https://other.example' }, 'foreign_origin');
  },
  'a replay of a person’s pixel by another browser': async () => {
    const headers = visit();
    const bid = await ask(headers);
    await see(bid, headers);
    await see(bid, visit(FIREFOX), 'elsewhere');
    await click(bid, visit(FIREFOX), 'elsewhere');
  },
  'a replay of the pixel of a person who may not be measured': async () => {
    const headers = visit();
    const bid = await ask(headers, { regs: { gdpr: 1 } });
    await see(bid, headers);
    await see(bid, visit(FIREFOX), 'elsewhere');
  },
  'an ad in a hidden slot, and a click on it': async () => {
    const headers = visit();
    const bid = await ask(headers);
    await see(bid, headers, 'hidden', '&hidden=1');
    await lookAtAd();
    await click(bid, headers, 'no_impression');
  },
  'a click with a forged token, which is refused': async () => {
    const headers = visit();
    const { clkurl } = await ask(headers);
    const [head = '', payload = '', signature = ''] = clkurl.split('.');
    const dearer = Buffer.from(
      Buffer.from(payload, 'base64url')
        .toString()
        .replace(/"jti":"/, '"jti":"x'),
    ).toString('base64url');
    for (const forged of [`${head}.${dearer}.${signature}`, `${head}.${payload}.${signature.split('').reverse().join('')}`])
      expect((await fetch(replica.url + forged, { headers, redirect: 'manual' })).status).toBe(401);
  },
  'a click without an impression': async () => {
    const headers = visit();
    const bid = await ask(headers);
    await lookAtAd();
    await click(bid, headers, 'no_impression');
  },
};

/** On a busy machine a click may come too late to be fast: then either fate is right, and the row tells which. */
const EITHER = '?';
const clickFast = async (bid: Bid, headers: Headers, sinceMs: number): Promise<number> => {
  await send(bid.clkurl, headers);
  const isFast = performance.now() - sinceMs < CLICK_TIMES.minReactionMs;
  expectHit(bid.clkurl, 'click', isFast ? 'fast_click' : EITHER);
  return isFast ? 1 : 0;
};
const fastClicks: Readonly<Record<string, () => Promise<number>>> = {
  'a click 2 ms after the ad': async () => {
    const headers = visit();
    const sinceMs = performance.now();
    const bid = await ask(headers);
    const fast = await clickFast(bid, headers, sinceMs);
    await see(bid, headers);
    return fast;
  },
  'a click right after the pixel': async () => {
    const headers = visit();
    const bid = await ask(headers);
    await lookAtAd();
    const sinceMs = performance.now();
    await see(bid, headers);
    return clickFast(bid, headers, sinceMs);
  },
};

const ROUNDS = 6;

test('a day of people and others: no listed bot is billed, no person is filtered, gross = filtered + net everywhere', async () => {
  const actors = [...Object.values(people), ...Object.values(others)];
  for (let round = 0; round < ROUNDS; round++) await Promise.all(actors.map((act) => act()));

  let fast = 0;
  for (let tries = 0; tries < 10 || (fast === 0 && tries < 100); tries++) for (const act of Object.values(fastClicks)) fast += await act();
  expect(fast).toBeGreaterThan(0);

  const clicksDue = `ads:{${booked.publisher.id % LEDGER_SHARDS}}:events:waiting-due`;
  // 70 s pass for the clicks that wait.
  for (const token of await redis.zrange(clicksDue, '0', '-1')) await redis.zincrby(clicksDue, '-70000', token);
  const hits = [...expected.values()].flatMap((kinds) => Object.values(kinds).flat()).length;
  await eventually(async () => expect(await knex('events').count('* as hits')).toEqual([{ hits: String(hits) }]));

  // Rows: each hit has the fate of its label.
  const rows = await knex('events').select('jti', 'kind', 'invalid_reason', 'billed_micros');
  const found = new Map<string, Record<string, string[]>>();
  for (const { jti, kind, invalid_reason } of rows) {
    const fate = found.get(jti) ?? {};
    found.set(jti, { ...fate, [kind]: [...(fate[kind] ?? []), invalid_reason as string].sort() });
  }
  for (const [jti, kinds] of expected) if (kinds['click']?.includes(EITHER)) kinds['click'] = found.get(jti)?.['click'] ?? [];
  expect(found).toEqual(expected);
  expect(rows.filter(({ invalid_reason, billed_micros }) => invalid_reason !== '' && billed_micros !== '0')).toEqual([]);

  // What the labels come to.
  const filtered: Record<string, number> = {};
  const net = { impression: 0, click: 0, event: 0 };
  for (const kinds of expected.values()) {
    for (const [kind, reasons] of Object.entries(kinds)) {
      for (const reason of reasons) {
        if (reason === '') net[kind as keyof typeof net]++;
        else filtered[`${kind}_${reason}`] = (filtered[`${kind}_${reason}`] ?? 0) + 1;
      }
    }
  }
  const filteredOf = (kind: string) => Object.entries(filtered).reduce((sum, [name, n]) => sum + (name.startsWith(`${kind}_`) ? n : 0), 0);
  const figures = {
    ...{ impressions: net.impression, clicks: net.click, filtered },
    ...{ filtered_impressions: filteredOf('impression'), filtered_clicks: filteredOf('click') },
    ...{ gross_impressions: net.impression + filteredOf('impression'), gross_clicks: net.click + filteredOf('click') },
    spend: net.click * 0.5,
  };
  expect(Object.keys(filtered).length).toBeGreaterThanOrEqual(10);

  // Redis, by the live delivery of the line item.
  const delivery = (await api('GET', `/line_items/${booked.lineItem}/delivery`)).body;
  expect([delivery.live, delivery.today]).toEqual([true, expect.objectContaining({ ...figures, events: { like: net.event } })]);
  const tally = await redis.hgetall(`ads:{${booked.publisher.id % LEDGER_SHARDS}}:events:filtered`);
  expect(Object.values(tally).reduce((sum, n) => sum + Number(n), 0)).toBe(Object.values(filtered).reduce((sum, n) => sum + n, 0));

  // Postgres and the reports.
  await eventually(async () => {
    const filtered = String(hits - net.impression - net.click - net.event);
    expect(await knex('filtered_counts').sum('count as count')).toEqual([{ count: filtered }]);
  });
  const report = (await api('GET', `/campaigns/${booked.campaign}/report`)).body;
  expect(report.totals).toMatchObject({ ...figures, ctr: net.click / net.impression });
  const csv: string = (await api('GET', `/campaigns/${booked.campaign}/report?format=csv`)).body;
  const [header = '', ...lines] = csv.trim().split('\r\n');
  const inCsv = (column: string) => lines.reduce((sum, line) => sum + Number(line.split(',')[header.split(',').indexOf(column)]), 0);
  expect([inCsv('gross_impressions'), inCsv('filtered_impressions'), inCsv('impressions'), inCsv('filtered_impression_spider')]).toEqual([
    ...[figures.gross_impressions, figures.filtered_impressions, figures.impressions, filtered['impression_spider']],
  ]);

  // Metrics.
  const metrics = await readMetrics(replica);
  const metric = (name: string) => metrics.get(`adserver_${name}`);
  for (const kind of ['impression', 'click', 'event']) {
    const reasons = Object.keys(filtered).filter((name) => name.startsWith(`${kind}_`));
    const counted = reasons.map((name) => [name, metric(`invalid_traffic_total{kind="${kind}",reason="${name.slice(kind.length + 1)}"}`)]);
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(reasons.map((name) => [name, filtered[name]])));
    expect(metric(`gross_hits_total{kind="${kind}"}`)).toBe(net[kind as keyof typeof net] + filteredOf(kind));
  }
  expect([metric('impressions_total'), metric('clicks_total')]).toEqual([net.impression, net.click]);

  // The books agree, and what is changed in one of them is corrected.
  const rowsOf = await knex('daily_counts').sum('impressions as impressions').sum('clicks as clicks').first<Json>();
  expect([Number(rowsOf.impressions), Number(rowsOf.clicks)]).toEqual([net.impression, net.click]);
  const counts = () => knex('filtered_counts').select().orderBy(['creative_id', 'kind', 'reason']);
  const before = await counts();
  await knex('filtered_counts').where({ kind: 'impression' }).increment('count', 3);
  await knex('filtered_counts').where({ kind: 'event' }).delete();
  await eventually(async () => {
    // The next round does not rest after the one before it.
    await restAfterRound(knex, 0);
    expect(await counts()).toEqual(before);
  }, 4 * PATIENCE_MS);
});
