import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, askForAd, book, each, type ApiCall } from '../api/api-client.ts';

let replica: Replica;
let other: Replica;
let api: ApiCall;

const TOO_LARGE = [413, 'application/problem+json', 'body_too_large'];

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  [replica, other] = await Promise.all([startReplica({ env }), startReplica({ env })]);
  api = apiOf(replica.url);
});

test('another replica serves a new booking within a second, without a call to /reload', async () => {
  const booked = await book(api, 'live');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { body } = await askForAd(other.url, booked);
  expect(body.seatbid[0].bid[0]).toMatchObject({ crid: String(booked.creative), cid: String(booked.campaign), adm: '<b>ad</b>' });

  await api('PATCH', `/line_items/${booked.lineItem}`, { active: false });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect((await askForAd(other.url, booked)).body).toMatchObject({ seatbid: [], nbr: 502 });
});

test('an API key is shown when it is created and when it is rotated, and never again', async () => {
  const created = await api('POST', '/publishers', { name: 'Key holder', domain: 'keys.example' });
  const { id, api_key: first } = created.body;
  expect(created.headers.get('location')).toBe(`/api/publishers/${id}`);
  expect(first).toMatch(/^pk_[\w-]{32}$/);
  expect((await api('GET', `/publishers/${id}`)).body).toEqual({
    id,
    name: 'Key holder',
    domain: 'keys.example',
    external_key: null,
    origins: [],
    consent_when_silent: 'by_country',
    one_per_advertiser: false,
    dynamic_allocation: false,
    rate_card: [],
    us_opt_out_ends_frequency_caps: false,
    frequency_caps_without_user_id: 'contextual',
    badv: [],
    bcat: [],
    acat: [],
    cattax: 1,
    battr: [],
    blocked_advertiser_ids: [],
    blocked_advertiser_labels: [],
    creative_approval: 'automatic',
    time_zone: 'UTC',
    logo: null,
    currency: 'USD',
    statement_currency: null,
    approval_price_below: null,
    approval_discount_over: null,
    approval_budget_above: null,
    approval_of_priority_1: false,
    approval_of_closing: false,
    approval_of_unblocking: false,
    approval_of_media_buys: true,
    archived: false,
    api_key_hint: String(first).slice(-4),
  });

  const rotated = await api('POST', `/publishers/${id}/rotate_key`);
  expect(rotated.body.api_key).not.toBe(first);
  const asked = { publisher: { id, api_key: first }, placement: 'nowhere', campaign: 0, lineItem: 0, creative: 0 };
  expect((await askForAd(replica.url, asked)).status).toBe(401);
  expect((await askForAd(replica.url, { ...asked, publisher: { id, api_key: rotated.body.api_key } })).status).toBe(200);
  expect(JSON.stringify((await api('GET', '/audit?entity=publisher')).body)).not.toContain('pk_');
});

test('every fault of a record is listed at its pointer, including unknown parents, and nothing is stored', async () => {
  const before = (await api('GET', '/line_items')).body.length;
  const { status, body } = await api('POST', '/line_items', {
    campaign_id: 999_999,
    start_date: '2026-02-01',
    end_date: '2026-01-01',
    active: 'yes',
    budget_type: 'CPC',
    priority: 4,
    colour: 'red',
    targeting: { dimensions: { age: 12, section: 'gardening', shoe_size: 42 } },
  });
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect([...each(body.errors, 'pointer')].sort()).toEqual([
    '/active',
    '/campaign_id',
    '/colour',
    '/cpc',
    '/end_date',
    '/priority',
    '/targeting/dimensions/age',
    '/targeting/dimensions/section',
    '/targeting/dimensions/shoe_size',
  ]);
  expect((await api('GET', '/line_items')).body).toHaveLength(before);
});

test('a creative must match the formats of its placement, and its line item the publisher of the placement', async () => {
  const mine = await book(api, 'mine');
  const theirs = await book(api, 'theirs');
  const creative = { placement_id: 'theirs', line_item_id: mine.lineItem, format: 'native', content: '[]' };
  const { body } = await api('POST', '/creatives', creative);
  expect([...each(body.errors, 'pointer')].sort()).toEqual(['/content', '/format', '/placement_id']);
  expect((await api('PATCH', `/creatives/${theirs.creative}`, { line_item_id: mine.lineItem })).status).toBe(400);
});

test('the longest creative fits into a body in any escaping; one more character and one more byte are refused', async () => {
  const { lineItem } = await book(api, 'longest');
  const MAX_CONTENT_LENGTH = 262_144;
  const MAX_CREATIVE_BYTES = 2_097_152;
  // JSON escapes each character in six bytes.
  const content = '\u001f'.repeat(MAX_CONTENT_LENGTH);
  const creative = { placement_id: 'longest', line_item_id: lineItem, format: 'html', content };
  const { status, body } = await api('POST', '/creatives', creative);
  expect(status).toBe(201);
  expect((await api('GET', `/creatives/${body.id}`)).body.content === content).toBe(true);

  const longer = await api('POST', '/creatives', { ...creative, content: `${content}x` });
  expect([longer.status, longer.headers.get('content-type'), longer.body.code, longer.body.errors]).toEqual([
    400,
    'application/problem+json',
    'invalid_request',
    [{ pointer: '/content', detail: expect.stringContaining(String(MAX_CONTENT_LENGTH)) }],
  ]);

  const padded = (bytes: number) => JSON.stringify({ content: '<b>ad</b>' }).padEnd(bytes);
  expect((await api('PATCH', `/creatives/${body.id}`, padded(MAX_CREATIVE_BYTES))).status).toBe(200);
  const larger = await api('PATCH', `/creatives/${body.id}`, padded(MAX_CREATIVE_BYTES + 1));
  expect([larger.status, larger.headers.get('content-type'), larger.body.code]).toEqual(TOO_LARGE);
});

test('other records have half a MiB: one byte more is refused', async () => {
  const MAX_RECORD_BYTES = 524_288;
  const padded = (bytes: number) => JSON.stringify({ name: 'Boots' }).padEnd(bytes);
  const { status, body } = await api('POST', '/advertisers', padded(MAX_RECORD_BYTES));
  expect(status).toBe(201);
  const larger = await api('PATCH', `/advertisers/${body.id}`, padded(MAX_RECORD_BYTES + 1));
  expect([larger.status, larger.headers.get('content-type'), larger.body.code]).toEqual(TOO_LARGE);
});

test('a text with NUL, which Postgres cannot store, is refused in every position', async () => {
  const { creative, lineItem } = await book(api, 'nul');
  for (const [method, path, body] of [
    ['PATCH', `/creatives/${creative}`, { content: 'a\u0000b' }],
    ['PATCH', `/line_items/${lineItem}`, { name: '\u0000' }],
    ['PATCH', `/line_items/${lineItem}`, { targeting: { key_values: { topic: ['\u0000'] } } }],
    ['GET', '/placements/%00', undefined],
    ['GET', '/campaigns?q=%00', undefined],
  ] as const) {
    const answer = await api(method, path, body);
    expect([path, [400, 404].includes(answer.status)]).toEqual([path, true]);
  }
});

test('enumerations are accepted in any case and returned as the specification writes them', async () => {
  const { campaign } = await book(api, 'cases');
  const { body } = await api('POST', '/line_items', {
    campaign_id: campaign,
    start_date: '2026-01-01',
    end_date: '2026-12-31',
    active: true,
    budget_type: 'cpm',
    cpm: 1.25,
    pacing: 'even',
    targeting: { countries: ['de'], devices: ['MOBILE'] },
  });
  expect(body).toMatchObject({ type: 'direct', budget_type: 'CPM', pacing: 'Even', cpm: 1.25, end_date: '2026-12-31', priority: null });
  expect(body.targeting).toEqual({ countries: ['DE'], devices: ['mobile'] });
});

test('PUT replaces, PATCH merges, null in a patch removes; a record can be sent back as it was returned', async () => {
  const { lineItem } = await book(api, 'edits', { daily_impression_cap: 10, targeting: { countries: ['DE'], key_values: { a: 'b' } } });
  const path = `/line_items/${lineItem}`;
  const patched = await api('PATCH', path, { cpm: 3, daily_impression_cap: null, targeting: { countries: null } });
  expect(patched.body).toMatchObject({ name: 'Boots', cpm: 3, daily_impression_cap: null, targeting: { key_values: { a: 'b' } } });
  expect(patched.body.targeting).not.toHaveProperty('countries');
  expect((await api('PUT', path, patched.body)).body).toEqual(patched.body);
  const { campaign_id, start_date, end_date } = patched.body;
  const replaced = await api('PUT', path, { campaign_id, start_date, end_date, active: false, cpm: 1 });
  expect(replaced.body).toMatchObject({ name: '', targeting: {}, cpm: 1, active: false });
  expect((await api('PUT', path, { ...patched.body, id: lineItem + 1 })).body.errors).toEqual([
    { pointer: '/id', detail: `must be ${lineItem}, as in the path: an id does not change` },
  ]);
  expect((await api('PATCH', path, '[]')).status).toBe(400);
  expect((await api('PATCH', path, '{')).body.code).toBe('invalid_json');
});

test('a change with If-Match is refused when the record has changed since it was read', async () => {
  const { campaign } = await book(api, 'etags');
  const path = `/campaigns/${campaign}`;
  const etag = (await api('GET', path)).headers.get('etag') as string;
  const first = await api('PATCH', path, { budget: 100 }, { 'If-Match': etag });
  expect(first.status).toBe(200);
  expect((await api('PATCH', path, { budget: 200 }, { 'If-Match': etag })).status).toBe(412);
  expect((await api('DELETE', path, undefined, { 'If-Match': etag })).status).toBe(412);
  expect((await api('PATCH', path, { budget: 200 }, { 'If-Match': first.headers.get('etag') as string })).body.budget).toBe(200);
});

test('a deletion also deletes what belongs to the record, and include=counts returns how much', async () => {
  const { publisher, placement, campaign, lineItem, creative } = await book(api, 'cascade');
  const asked = await api('GET', `/publishers/${publisher.id}?include=counts`);
  expect(asked.body).toMatchObject({ name: 'The Gazette', counts: { placements: 1, campaigns: 1, line_items: 1, creatives: 1 } });
  expect((await api('GET', `/line_items/${lineItem}?include=counts`)).body.counts).toEqual({ creatives: 1 });

  const gone = await api('DELETE', `/publishers/${publisher.id}`);
  expect([gone.status, gone.body]).toEqual([204, '']);
  const paths = [`/publishers/${publisher.id}`, `/placements/${placement}`, `/campaigns/${campaign}`, `/line_items/${lineItem}`];
  for (const path of [...paths, `/creatives/${creative}`]) expect((await api('GET', path)).status).toBe(404);
  expect((await api('DELETE', `/publishers/${publisher.id}`)).status).toBe(404);
});

test('lists are arrays, filtered by parents and names, and paged on request', async () => {
  const one = await book(api, 'list/one');
  const two = await book(api, 'list two', { name: '100 % wool' });
  const ids = async (path: string) => each((await api('GET', path)).body, 'id');
  expect(await ids(`/line_items?publisher_id=${two.publisher.id}`)).toEqual([two.lineItem]);
  expect(await ids(`/creatives?campaign_id=${one.campaign}`)).toEqual([one.creative]);
  expect(await ids('/placements?q=LIST')).toEqual(['list two', 'list/one']);
  expect(await ids('/line_items?q=' + encodeURIComponent('100 %'))).toEqual([two.lineItem]);
  expect(await ids('/creatives?placement_id=unknown')).toEqual([]);
  expect((await api('GET', `/placements/${encodeURIComponent('list/one')}`)).body.id).toBe('list/one');
  const page = await api('GET', '/placements?limit=1&offset=1&q=list');
  expect([page.body.length, page.headers.get('x-total-count')]).toEqual([1, '2']);
  expect((await api('GET', '/placements?limit=0')).status).toBe(400);
});

test('a second placement with the same id is refused', async () => {
  await book(api, 'taken');
  const again = await api('POST', '/placements', { id: 'taken', width: 1, height: 1, formats: ['html'] });
  expect([again.status, again.body.code]).toEqual([409, 'conflict']);
});

test('each change adds an audit row with the actor, the action and the record before and after', async () => {
  const { creative, lineItem, campaign } = await book(api, 'audited');
  expect((await api('POST', `/creatives/${creative}/block`)).body.blocked_at).toMatch(/^\d{4}-/);
  await api('POST', `/creatives/${creative}/block`);
  expect((await api('POST', `/creatives/${creative}/unblock`)).body.blocked_at).toBeNull();
  await api('DELETE', `/campaigns/${campaign}`);
  const rows = (await api('GET', `/audit?entity=creative&entity_id=${creative}`)).body;
  expect(each(rows, 'action')).toEqual(['unblock', 'block', 'create']);
  expect(rows[1]).toMatchObject({ actor: 'anonymous', before: { blocked_at: null }, after: { id: creative, line_item_id: lineItem } });
  const [deleted] = (await api('GET', `/audit?entity=campaign&entity_id=${campaign}`)).body;
  expect(deleted).toMatchObject({ action: 'delete', after: null, before: { deleted_with_it: { line_items: 1, creatives: 1 } } });
});

test('concurrent writers neither deadlock nor lose a change', async () => {
  const { campaign, lineItem, creative } = await book(api, 'busy');
  const twin = apiOf(other.url);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      (i % 2 ? api : twin)(
        'PATCH',
        [`/line_items/${lineItem}`, `/creatives/${creative}`, `/campaigns/${campaign}`][i % 3]!,
        i % 3 === 1 ? { width: i + 1, height: i + 1 } : { name: `n${i}` },
      ),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  expect((await api('GET', `/audit?entity=creative&entity_id=${creative}`)).body).toHaveLength(5);
});

test('errors are problem responses without CORS headers', async () => {
  for (const [method, path, status] of [
    ['GET', '/line_items/0', 404],
    ['GET', '/line_items/abc', 404],
    ['GET', '/nothing', 404],
    ['POST', '/line_items/1', 405],
    ['OPTIONS', '/line_items', 405],
    ['GET', '/line_items/%E0%A4%A', 404],
  ] as const) {
    const answer = await api(method, path);
    expect([path, answer.status >= 400 && answer.status <= status]).toEqual([path, true]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  }
  expect((await api('PATCH', '/dimensions')).headers.get('allow')).toBe('GET, HEAD');
  expect((await api('POST', '/creatives', { content: 'x'.repeat(2_100_000) })).status).toBe(413);
  expect((await api('GET', '/dimensions')).body.properties.age).toMatchObject({ type: 'integer', title: 'Age', minimum: 13, maximum: 120 });
});
