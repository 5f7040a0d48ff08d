import { Client } from 'pg';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, each, itemsOf, type ApiCall, type Json } from '../api/api-client.ts';

/**
 * Two publishers with equal bookings: the requests of one are traced. Without ties, so that both
 * decide alike.
 */
const PUBLISHERS = ['traced', 'plain'] as const;
const ITEMS = 7;
const REQUESTS = 60;

let replica: Replica;
let api: ApiCall;
let client: Client;
/** By line item and reason, read from the traces. */
const expected = new Map<string, number>();

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  await bookCatalog(databaseUrl, {
    publishers: PUBLISHERS.map((api_key) => {
      const top = { placement_id: `${api_key}-top` };
      const creatives = [top];
      return {
        name: api_key,
        domain: 'p.example',
        api_key,
        placements: [
          { id: top.placement_id, width: 300, height: 250, formats: ['html'] },
          { id: `${api_key}-empty`, width: 300, height: 250, formats: ['html'] },
        ],
        campaigns: [
          {
            line_items: [
              {
                name: 'Sponsor',
                priority: 1,
                cpm: 8,
                daily_impression_cap: 40,
                targeting: { key_values: { section: ['sport'] } },
                creatives,
              },
              { name: 'Capped', priority: 2, cpm: 7, frequency_cap: 2, frequency_window: 3600, creatives },
              { name: 'Small cap', priority: 2, cpm: 6, daily_impression_cap: 5, creatives },
              { name: 'Standard', priority: 2, cpm: 5, creatives },
              { name: 'Two sizes', priority: 3, cpm: 4, creatives: [{ ...top, width: 728, height: 90 }, top] },
              { name: 'Wide', priority: 3, cpm: 3, creatives: [{ ...top, width: 728, height: 90 }] },
              { name: 'Later', priority: 1, cpm: 9, start_date: '2098-01-01', creatives },
            ],
          },
        ],
      };
    }),
  });
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() };
  replica = await startReplica({ env });
  for (let i = 0; i < REQUESTS; i++)
    for (const [p, name] of PUBLISHERS.entries()) {
      const imp = [{ id: '1', tagid: `${name}-top` }, ...(i % 5 === 0 ? [{ id: '2', tagid: `${name}-top` }] : [])];
      const response = await fetch(`${replica.url}/ad${name === 'traced' ? '?debug=1' : ''}`, {
        method: 'POST',
        headers: { 'X-API-Key': name },
        body: JSON.stringify({
          id: String(i),
          imp,
          user: { id: `reader-${i % 4}` },
          ext: { publisher_id: p + 1, kv: { section: i % 3 === 0 ? 'sport' : 'news' } },
        }),
      });
      const answer: Json = await response.json();
      for (const one of answer.debug?.trace?.imps ?? []) countTraced(one);
    }
  await fetch(`${replica.url}/ad`, {
    method: 'POST',
    headers: { 'X-API-Key': 'traced' },
    body: JSON.stringify({ id: 'none', imp: [{ id: '1', tagid: 'traced-empty' }], user: { id: 'reader-0' }, ext: { publisher_id: 1 } }),
  });
  await replica.stop();
  client = new Client({ connectionString: databaseUrl });
  await client.connect();
  atEnd(() => client.end());
  await replica.start();
  api = apiOf(replica.url);
});

/** In the order of the decision; of several creatives the one that came closest counts. */
const ORDER = ['size_or_format', 'targeting', 'daily_cap', 'frequency_capped', 'duplicate_in_page', 'outranked'];

const countTraced = ({ steps, winner }: Json): void => {
  const closest = new Map<number, string>();
  const note = (lineItem: number, reason: string): void => {
    const known = closest.get(lineItem);
    if (known === undefined || ORDER.indexOf(reason) > ORDER.indexOf(known)) closest.set(lineItem, reason);
  };
  for (const { rejected } of steps) for (const { line_item_id, reason } of rejected) note(line_item_id, reason);
  for (const id of itemsOf(steps).at(-1).line_item_ids) note(id, 'outranked');
  for (const [id, reason] of closest) {
    if (reason === 'not_in_flight' || id === winner.line_item_id) continue;
    const key = `${id} ${reason} ${reason === 'outranked' ? winner.line_item_id : 0}`;
    expected.set(key, (expected.get(key) ?? 0) + 1);
  }
};

const NAMES: Readonly<Record<number, string>> = {
  0: 'outranked',
  9: 'frequency_capped',
  501: 'size_or_format',
  503: 'targeting',
  505: 'daily_cap',
  509: 'duplicate_in_page',
};

/** What is stored for one publisher's line items, as if they were the first one's. */
const stored = async (publisher: number): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await client.query<{ line_item_id: number; reason: number; outranked_by: number; impressions: string }>(
    'select line_item_id, reason, outranked_by, sum(impressions) as impressions from refusals where line_item_id between $1 and $2 group by 1, 2, 3',
    [publisher * ITEMS + 1, (publisher + 1) * ITEMS],
  );
  const shift = publisher * ITEMS;
  return new Map(
    rows.map(({ line_item_id, reason, outranked_by, impressions }) => [
      `${line_item_id - shift} ${NAMES[reason] ?? reason} ${outranked_by === 0 ? 0 : outranked_by - shift}`,
      Number(impressions),
    ]),
  );
};

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => a.localeCompare(b));

test('the counts are the refusals of the traces of the same requests', async () => {
  expect([...new Set([...expected.keys()].map((key) => key.split(' ')[1]))].sort()).toEqual([...ORDER].sort());
  expect(sorted(await stored(0))).toEqual(sorted(expected));
});

test('requests without a trace, which remember refusals, are counted alike', async () => {
  expect(sorted(await stored(1))).toEqual(sorted(expected));
});

test('the API adds them up, names what outranked it, and says what would help', async () => {
  const { status, body } = await api('GET', '/line_items/4/refusals');
  expect(status).toBe(200);
  const of = (reason: string) => [...expected].filter(([key]) => key.startsWith(`4 ${reason} `)).reduce((sum, [, count]) => sum + count, 0);
  expect(body).toMatchObject({ line_item_id: 4, off_target: 0, lost: of('outranked') + of('duplicate_in_page') });
  const [first] = body.reasons;
  expect(first).toMatchObject({ reason: 'outranked', impressions: of('outranked') });
  expect(first.share).toBeCloseTo(of('outranked') / body.lost);
  expect(each(first.outranked_by, 'line_item')).toEqual(expect.arrayContaining(['Sponsor', 'Capped', 'Small cap']));
  expect(itemsOf(body.hours).reduce((sum: number, { lost }) => sum + lost, 0)).toBe(body.lost);

  const small = itemsOf((await api('GET', '/line_items/3/refusals')).body.reasons).find(({ reason }) => reason === 'daily_cap');
  expect(small.remedy).toEqual({
    label: 'Raise the daily cap to 8 impressions',
    table: 'line_items',
    id: 3,
    patch: { daily_impression_cap: 8 },
  });
  const wide = (await api('GET', '/line_items/6/refusals')).body;
  expect(wide.reasons).toMatchObject([{ reason: 'size_or_format', share: 1, remedy: null }]);
  expect((await api('GET', '/line_items/1/refusals')).body.off_target).toBeGreaterThan(0);
  expect((await api('GET', '/line_items/7/refusals')).body).toMatchObject({ lost: 0, off_target: 0, reasons: [], hours: [] });
});

test('its remedy makes an outranked line item win', async () => {
  const serve = async (): Promise<number> => {
    const response = await fetch(`${replica.url}/ad?debug=1`, {
      method: 'POST',
      headers: { 'X-API-Key': 'traced' },
      body: JSON.stringify({ id: 'r', imp: [{ id: '1', tagid: 'traced-top' }], user: { id: 'reader-0' }, ext: { publisher_id: 1 } }),
    });
    const answer: Json = await response.json();
    return answer.debug.trace.imps[0].winner.line_item_id;
  };
  for (const id of [5, 4]) {
    const { body } = await api('GET', `/line_items/${id}/refusals`);
    const { table, id: of, patch } = itemsOf(body.reasons).find(({ reason }) => reason === 'outranked').remedy;
    expect((await api('PATCH', `/${table}/${of}`, patch)).status).toBe(200);
    expect(await serve()).toBe(id);
  }
});

test('a period is at most two weeks, of days', async () => {
  expect((await api('GET', '/line_items/4/refusals?from=2026-01-01&to=2026-01-16')).status).toBe(400);
  expect((await api('GET', '/line_items/4/refusals?from=yesterday')).status).toBe(400);
  expect((await api('GET', '/line_items/4/refusals?from=2026-01-01&to=2026-01-15')).body).toMatchObject({ lost: 0, from: '2026-01-01' });
  expect((await api('GET', '/line_items/99/refusals')).status).toBe(404);
});

test('statuses are the same everywhere, and say what never serves', async () => {
  const { body } = await api('GET', '/statuses?line_item_ids=4,5,6,7,9999&campaign_ids=1');
  expect(body.line_items).toMatchObject({
    4: { value: 'delivering' },
    6: { value: 'cannot serve', reasons: [expect.stringMatching(/^creative \d+: 728×90 does not fit placement traced-top of 300×250$/)] },
    7: { value: 'scheduled' },
    9999: { value: 'cannot serve' },
  });
  expect(body.campaigns[1]).toMatchObject({ value: 'delivering', reasons: [expect.stringContaining('of 7 line items need attention')] });
  for (const id of [4, 6, 7]) {
    const delivery = await api('GET', `/line_items/${id}/delivery`);
    expect(delivery.body.status).toEqual(body.line_items[id]);
  }
  expect((await api('GET', '/statuses?line_item_ids=a')).status).toBe(400);
});

test('what needs attention is listed with its reason, and what has ended with its delivery', async () => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  expect((await api('PATCH', '/line_items/2', { end_date: yesterday })).status).toBe(200);
  const { id: pending } = (
    await api('POST', '/creatives', { placement_id: 'traced-top', line_item_id: 4, format: 'html', content: 'new', status: 'pending' })
  ).body;
  await client.query(
    "insert into reports (jti, publisher_id, line_item_id, creative_id, reason) values ('a', 1, 3, 3, 'misleading'), ('b', 1, 3, 3, 'other')",
  );
  const played = { day: new Date(), publisher_id: 1, campaign_id: 1, advertiser_id: 0, placement_id: 'traced-top', reason: '', size: '' };
  const plays = [
    { creative_id: 1, error_code: '', starts: 60 },
    { creative_id: 1, error_code: '403', errors: 25 },
    { creative_id: 1, error_code: '303', errors: 5 },
    { creative_id: 2, error_code: '', starts: 1000, completes: 400 },
    { creative_id: 2, error_code: '303', errors: 90 },
    { creative_id: 4, error_code: '', starts: 120 },
  ];
  for (const { creative_id, error_code, ...counts } of plays) {
    const row = { ...played, line_item_id: creative_id, creative_id, error_code, ...counts };
    const values = Object.values(row);
    const places = values.map((_, i) => `$${i + 1}`).join(', ');
    await client.query(`insert into play_days (${Object.keys(row).join(', ')}) values (${places})`, values);
  }
  const { status, body } = await api('GET', '/attention');
  expect(status).toBe(200);
  const group = (kind: string) => itemsOf(body.groups).find((one) => one.kind === kind);
  expect(group('cannot_serve')).toMatchObject({
    total: 2,
    rows: [{ table: 'line_items', id: 6, name: 'Wide', text: expect.stringContaining('does not fit') }, { id: 13 }],
  });
  expect(group('pending_creatives')).toMatchObject({ total: 1, rows: [{ id: pending, text: 'waits for approval; of Standard' }] });
  expect(group('complaints')).toMatchObject({ total: 1, rows: [{ id: 3, text: '2 complaints in seven days; of Small cap' }] });
  expect(group('not_played')).toMatchObject({
    total: 2,
    rows: [
      {
        ...{ table: 'creatives', id: 1 },
        text: expect.stringMatching(
          /^30 errors of players since yesterday, 33% of its plays; most often 403: no media file is of a type that the player plays; of /,
        ),
      },
      { id: 4, text: expect.stringMatching(/^none of 120 starts since yesterday was played to its end; of /) },
    ],
  });
  expect(body.ended).toMatchObject([{ line_item_id: 2, name: 'Capped' }]);
  expect(body.line_items).toMatchObject({ 'cannot serve': 2 });
  expect(body.health).toMatchObject({ replicas: 1, counters: true, catalog_version: expect.any(Number) });
});

test('a placement says what became of its requests', async () => {
  const ask = async (placement: string): Promise<Json> => (await api('GET', `/placements/${placement}/refusals`)).body;
  // Counted a roll-up after they were stored, of both placements together.
  await eventually(async () => expect((await ask('traced-empty')).requests).toBe(1));
  const { rows } = await client.query<{ reason: string; requests: string }>(
    "select reason, sum(requests) as requests from request_hours where placement_id = 'traced-top' and reason <> '' group by 1",
  );
  const { requests: asked, unfilled, reasons } = await ask('traced-top');
  expect(asked).toBeGreaterThanOrEqual(REQUESTS);
  expect(
    itemsOf(reasons)
      .map(({ reason, requests }) => [reason, requests])
      .sort(),
  ).toEqual(rows.map(({ reason, requests }) => [reason, Number(requests)]).sort());
  expect(itemsOf(reasons).reduce((sum: number, { requests }) => sum + requests, 0)).toBe(unfilled);
  expect(await ask('traced-empty')).toMatchObject({
    requests: 1,
    unfilled: 1,
    reasons: [{ reason: 'nothing_booked', words: 'nothing is booked on the placement', requests: 1, share: 1 }],
  });
  expect(await ask('plain-empty')).toMatchObject({ requests: 0, unfilled: 0, reasons: [] });
  expect((await api('GET', '/placements/none/refusals')).status).toBe(404);
});
