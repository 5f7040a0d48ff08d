import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import knexFactory, { type Knex } from 'knex';
import { lookAtAd } from '../../../testkit/person.ts';
import { eventually } from '../../../testkit/until.ts';
import { LEDGER_SHARDS, startReplica, type Replica } from '../../setup/start-replica.ts';
import { testDatabase } from '../../setup/test-database.ts';
import { testRedisUrl } from '../../setup/test-redis-url.ts';
import { apiOf, book, type ApiCall, type Booked } from '../../api/api-client.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const PAGE = 'https://news.example';
const TODAY = new Date().toISOString().slice(0, 10);

const folder = temporaryFolder();
const listOf = (name: string, text: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};
const OLD_LIST = listOf('old', '203.0.113.0/24\n');
/** Another cloud is listed, one is not any more. */
const NEW_LIST = listOf('new', '198.51.100.0/24\n');

let databaseUrl: string;
let redisUrl: string;
let replica: Replica;
let api: ApiCall;
let knex: Knex;
let redis: Redis;
let booked: Booked;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  redisUrl = await testRedisUrl();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, DATACENTER_ADDRESSES: OLD_LIST } });
  api = apiOf(replica.url);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  redis = new Redis(redisUrl);
  booked = await book(api, 'refiltered', { budget_type: 'CPM', cpm: 2 });
  await api('PATCH', `/publishers/${booked.publisher.id}`, { origins: [PAGE] });
});
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

type Headers = Readonly<Record<string, string>>;
let visitors = 0;
const from = (network: string, userAgent = CHROME): Headers => ({
  ...{ 'user-agent': userAgent, 'x-forwarded-for': `${network}.${++visitors}`, origin: PAGE },
});
const get = async (url: string, headers: Headers): Promise<void> => {
  expect((await fetch(replica.url + url, { headers, redirect: 'manual' })).status).toBe(200);
};
/** Requests an ad, sees it, likes it and clicks. */
const visit = async (headers: Headers, hitHeaders: Headers = headers): Promise<void> => {
  const answer = await fetch(`${replica.url}/ad`, {
    method: 'POST',
    headers: { ...headers, 'x-api-key': booked.publisher.api_key },
    body: JSON.stringify({
      imp: [{ id: '1', tagid: booked.placement }],
      user: { id: `u${visitors}` },
      ext: { publisher_id: booked.publisher.id },
      id: 'r',
    }),
  });
  const [bid] = (await answer.json()).seatbid[0].bid;
  await get(bid.impurl, hitHeaders);
  await get(`${bid.evturl}&type=like`, hitHeaders);
  await lookAtAd();
  await get(bid.clkurl, hitHeaders);
};

const refilter = async (list: string | undefined, ...args: string[]): Promise<string> => {
  const file = path.resolve(__dirname, '../../../dist/commands/refilter.js');
  const env = {
    ...{
      ...process.env,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      TOKEN_SECRET: 'the token secret of the test of refilter',
      LEDGER_SHARDS: String(LEDGER_SHARDS),
    },
    ...(list === undefined ? {} : { DATACENTER_ADDRESSES: list }),
  };
  return (await promisify(execFile)(process.execPath, [file, '--day', TODAY, ...args], { env })).stdout;
};

/** Hits by kind and reason, in rows. */
const fates = async (): Promise<Record<string, number>> => {
  const rows = await knex('events').select('kind', 'invalid_reason').count('* as hits').sum('billed_micros as billed').groupBy(1, 2);
  return Object.fromEntries(rows.map(({ kind, invalid_reason, hits }) => [`${kind} ${invalid_reason || 'counted'}`, Number(hits)]));
};
/** That rows, counts, Redis and the report say the same of the line item. */
const allPlacesSay = async (net: number, filtered: Readonly<Record<string, number>>): Promise<void> => {
  const sum = (kind: string) => Object.entries(filtered).reduce((all, [name, n]) => all + (name.startsWith(`${kind}_`) ? n : 0), 0);
  const figures = {
    ...{ impressions: net, clicks: net, spend: (net * 2) / 1000, filtered, events: net > 0 ? { like: net } : expect.anything() },
    ...{ gross_impressions: net + sum('impression'), gross_clicks: net + sum('click') },
  };
  await eventually(async () => {
    const delivery = (await api('GET', `/line_items/${booked.lineItem}/delivery`)).body;
    expect([delivery.live, delivery.today]).toEqual([true, expect.objectContaining(figures)]);
    expect((await api('GET', `/campaigns/${booked.campaign}/report`)).body.totals).toMatchObject(figures);
    expect(await knex('daily_counts').sum({ impressions: 'impressions', clicks: 'clicks', micros: 'spend_micros' })).toEqual([
      { impressions: String(net), clicks: String(net), micros: String(net * 2_000) },
    ]);
    expect(Number((await knex('hourly_counts').sum({ impressions: 'impressions' }))[0]?.['impressions'])).toBe(net);
    const rows = await knex('events').where({ invalid_reason: '' }).sum({ micros: 'billed_micros' });
    expect(Number(rows[0]?.['micros'])).toBe(net * 2_000);
    expect(await knex('pending_hits')).toEqual([]);
  });
};

const [PEOPLE, FIRST_CLOUD, OTHER_CLOUD, BOTS] = [5, 3, 4, 2];

test('a stored day is filtered again by a newer list, in both directions and back, and every figure follows', async () => {
  for (let i = 0; i < PEOPLE; i++) await visit(from('192.0.2'));
  for (let i = 0; i < FIRST_CLOUD; i++) await visit(from('203.0.113'));
  for (let i = 0; i < OTHER_CLOUD; i++) await visit(from('198.51.100'));
  for (let i = 0; i < BOTS; i++) await visit(from('198.51.100', 'Googlebot/2.1 (+http://www.google.com/bot.html)'));
  await visit(from('203.0.113'), { ...from('203.0.113'), 'sec-purpose': 'prefetch' });
  const hits = (counts: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(
      ['impression', 'click', 'event'].flatMap((kind) => Object.entries(counts).map(([name, n]) => [`${kind}_${name}`, n])),
    );
  const before = hits({ data_center: FIRST_CLOUD, prefetch: 1, spider: BOTS });
  await allPlacesSay(PEOPLE + OTHER_CLOUD, before);
  const kept = await knex('event_signals').distinct('network', 'origin').orderBy('network');
  expect(kept.map(({ network, origin }) => [network, origin])).toEqual([
    ...['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'].map((network) => [network, PAGE]),
  ]);

  // Tokens that have not ended are not judged.
  expect(await refilter(NEW_LIST)).toContain('0 hits filtered, 0\n0 hits counted');
  await knex('event_signals').update({ token_ends_at: knex.raw("now() - interval '1 hour'") });

  const dry = await refilter(NEW_LIST, '--dry-run');
  expect(dry.split('\n')).toEqual(
    expect.arrayContaining([
      `  line item ${booked.lineItem}: ${OTHER_CLOUD} impressions counted → data_center, −0.008 USD`,
      `  line item ${booked.lineItem}: ${FIRST_CLOUD} impressions data_center → counted, +0.006 USD`,
      `${3 * OTHER_CLOUD} hits would be filtered, −0.008 USD`,
      `${3 * FIRST_CLOUD} hits would be counted as far as budgets have room, at most +0.006 USD`,
    ]),
  );
  await allPlacesSay(PEOPLE + OTHER_CLOUD, before);

  expect(await refilter(NEW_LIST)).toContain(`${3 * OTHER_CLOUD} hits filtered, −0.008 USD\n`);
  await allPlacesSay(PEOPLE + FIRST_CLOUD, hits({ data_center: OTHER_CLOUD, prefetch: 1, spider: BOTS }));
  await knex('event_signals').update({ token_ends_at: knex.raw("now() - interval '1 hour'") });
  expect(await refilter(NEW_LIST)).toContain('0 hits filtered, 0\n0 hits counted');
  // A rule that is off judges nothing.
  expect(await refilter(undefined)).toContain('0 hits filtered, 0\n0 hits counted');

  // The first list again, under traffic.
  // In networks of their own: of one network, fifteen clicks on fifteen ads are no people's.
  const traffic = Array.from({ length: 10 }, (_, i) => visit(from(`192.${10 + i}.2`)));
  await refilter(OLD_LIST);
  await Promise.all(traffic);
  await allPlacesSay(PEOPLE + OTHER_CLOUD + 10, before);

  // A spider that the lists did not know, and a publisher that lists another origin.
  await knex('event_signals').update({ token_ends_at: knex.raw("now() - interval '1 hour'") });
  await knex('event_signals')
    .where({ network: '198.51.100.0/24' })
    .whereNot('agent', 'like', 'Googlebot%')
    .update({ agent: 'python-requests/2.32.3' });
  expect(await refilter(OLD_LIST)).toContain('impressions counted → spider');
  await allPlacesSay(PEOPLE + 10, hits({ data_center: FIRST_CLOUD, prefetch: 1, spider: BOTS + OTHER_CLOUD }));
  expect(Object.values(await fates()).reduce((all, n) => all + n, 0)).toBe(3 * (PEOPLE + FIRST_CLOUD + OTHER_CLOUD + BOTS + 1 + 10));
});
