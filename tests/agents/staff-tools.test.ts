import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { book, type ApiCall, type Booked, type Json } from '../api/api-client.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

/** Two replicas behind no balancer: each call of a client goes to another one. */
let replicas: readonly Replica[];
let machine: ApiCall;
let booked: Booked;
let trafficker: Tools;
let traffickerToken: string;

interface Tools {
  readonly names: () => Promise<readonly string[]>;
  /** The value of an answer, or its problem. */
  readonly call: (name: string, given?: object) => Promise<Json>;
}

const toolsWith = async (token: string, on = [0]): Promise<Tools> => {
  const clients = await Promise.all(
    on.map(async (i) => {
      const client = new Client({ name: 'test', version: '1' });
      const headers = { Authorization: `Bearer ${token}` };
      const transport = new StreamableHTTPClientTransport(new URL(`${replicas[i]!.url}/mcp`), { requestInit: { headers } });
      await client.connect(transport as Transport);
      return client;
    }),
  );
  let turn = 0;
  const next = (): Client => clients[turn++ % clients.length]!;
  return {
    names: async () => (await next().listTools()).tools.map(({ name }) => name),
    call: async (name, given = {}) => {
      const { structuredContent, isError } = await next().callTool({ name, arguments: { ...given } });
      return isError === true ? (structuredContent as Json).problem : structuredContent;
    },
  };
};

const activeOf = async (id: number): Promise<boolean> => (await machine('GET', `/line_items/${id}`)).body.active;

beforeAll(async () => {
  const env = {
    ...{ DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' },
    AGENT_CALLS: '120',
  };
  replicas = await Promise.all([startReplica({ env }), startReplica({ env })]);
  machine = callWith(replicas[0]!.url, MACHINE);
  booked = await book(machine, 'top', { goal_impressions: 1_000 });
  traffickerToken = await tokenOf(machine, 'assistant', ['trafficker'], [booked.publisher.id]);
  trafficker = await toolsWith(traffickerToken, [0, 1]);
});

test('task 1: finds a line item, and says why it does not deliver', async () => {
  const { total, rows } = await trafficker.call('find_records', { table: 'line_items', q: 'boots' });
  expect([total, rows[0].id]).toEqual([1, booked.lineItem]);
  const { delivery, refusals } = await trafficker.call('why_not_delivering', { line_item_id: booked.lineItem });
  expect([delivery.line_item_id ?? delivery.id ?? booked.lineItem, refusals.line_item_id, refusals.hours]).toEqual([
    ...[booked.lineItem, booked.lineItem, undefined],
  ]);
});

test('task 2: says what is free, and forecasts a draft', async () => {
  expect(await trafficker.call('what_is_free', { publisher: booked.publisher.id })).toMatchObject({ free: expect.any(Number) });
  const { forecast } = await trafficker.call('forecast', { line_item_id: booked.lineItem });
  expect(forecast).toMatchObject({ id: expect.any(String), remedies: expect.any(Array) });
});

test('task 3: reports by campaign', async () => {
  const { report } = await trafficker.call('report', { group_by: ['campaign'], metrics: ['impressions', 'revenue'], range: 'last_7_days' });
  expect(report).toMatchObject({ group_by: ['campaign'], metrics: ['impressions', 'revenue'] });
});

test('task 4: pauses a line item by a proposal that another replica carries out, once', async () => {
  const asked = { line_item_ids: [booked.lineItem], active: false, note: 'the customer asked' };
  const proposal = await trafficker.call('pause_or_resume', asked);
  expect([proposal.state, proposal.would_change]).toEqual(['proposed', [`pause line item ${booked.lineItem} "Boots"`]]);
  expect(await activeOf(booked.lineItem)).toBe(true);
  const { confirmation } = proposal;
  const other = await trafficker.call('pause_or_resume', { ...asked, active: true, confirmation });
  expect([other.code, await activeOf(booked.lineItem)]).toEqual(['precondition_failed', true]);
  const foreign = await toolsWith(await tokenOf(machine, 'another assistant', ['trafficker'], null));
  expect((await foreign.call('pause_or_resume', { ...asked, confirmation })).code).toBe('precondition_failed');
  expect(await trafficker.call('pause_or_resume', { ...asked, confirmation })).toMatchObject({ state: 'done' });
  expect(await activeOf(booked.lineItem)).toBe(false);
  // The record has changed since the proposal.
  expect((await trafficker.call('pause_or_resume', { ...asked, confirmation })).code).toBe('bulk_refused');
  const [change] = (await machine('GET', `/audit?entity=line_item&entity_id=${booked.lineItem}`)).body;
  expect([change.actor, change.note]).toEqual(['token:assistant', 'the customer asked']);
  expect(await trafficker.call('pause_or_resume', { ...asked, active: true, confirm: true })).toMatchObject({ state: 'done' });
});

test('task 5: books a campaign as a proposal, with what keeps it from serving; and by declaration', async () => {
  const flight = { start_date: '2026-12-01', end_date: '2999-12-31' };
  const booking = {
    campaign: { fields: { publisher_id: booked.publisher.id, name: 'Winter', ...flight } },
    line_items: [{ fields: { name: 'Phones', active: true, ...flight, cpm: 4.5, placement_ids: ['top'] } }],
  };
  const proposal = await trafficker.call('book', booking);
  expect(proposal).toMatchObject({
    would_change: [expect.stringMatching(/^create campaign "Winter"/), expect.stringMatching(/^create line item "Phones"/)],
    stops: [expect.objectContaining({ pointer: expect.any(String) }), ...((proposal.stops as readonly unknown[] | undefined)?.slice(1) ?? [])],
  });
  const { confirmation } = proposal;
  const key = { confirmation, idempotency_key: 'winter-1' };
  const [first, again] = [await trafficker.call('book', { ...booking, ...key }), await trafficker.call('book', { ...booking, ...key })];
  expect([first.state, again.result.campaign.id]).toEqual(['done', first.result.campaign.id]);
  const refused = await trafficker.call('book', { ...booking, line_items: [{ fields: { name: 'x', active: true, ...flight, cpm: -1 } }] });
  expect([refused.code, refused.errors[0].pointer, refused.remedy]).toEqual([
    ...['invalid_request', '/line_items/0/fields/cpm', expect.stringContaining('JSON pointer')],
  ]);
  const declaration = {
    publisher: { name: 'The Gazette', domain: 'gazette.example' },
    campaigns: [{ key: 'spring', name: 'Spring', ...flight }],
  };
  const asked = { publisher: booked.publisher.id, declaration };
  const plan = await trafficker.call('plan_bookings', asked);
  expect(plan).toMatchObject({ would_change: [expect.stringContaining('Spring')] });
  const { confirmation: agreed } = await trafficker.call('apply_bookings', asked);
  expect(await trafficker.call('apply_bookings', { ...asked, confirmation: agreed })).toMatchObject({ state: 'done', result: { applied: true } });
});

test('a tool is shown to those who may call its route, and each call has the rights of the token', async () => {
  const viewer = await toolsWith(await tokenOf(machine, 'viewer', ['viewer'], [booked.publisher.id]));
  expect((await viewer.names()).toSorted()).toEqual(['find_records', 'forecast', 'report', 'what_is_free', 'why_not_delivering']);
  const refused = await viewer.call('pause_or_resume', { line_item_ids: [booked.lineItem], active: false, confirm: true });
  expect([refused.code, await activeOf(booked.lineItem)]).toEqual(['forbidden', true]);
  const elsewhere = await toolsWith(
    await tokenOf(
      machine,
      'elsewhere',
      ['trafficker'],
      [(await machine('POST', '/publishers', { name: 'B', domain: 'b.example' })).body.id],
    ),
  );
  expect((await elsewhere.call('why_not_delivering', { line_item_id: booked.lineItem })).code).toBe('not_found');
  expect((await elsewhere.call('find_records', { table: 'line_items' })).rows).toEqual([]);
});

test.each([
  ['find_records', { table: 'people' }, '/table'],
  ['find_records', { table: 'line_items', limit: 1e9 }, '/limit'],
  ['pause_or_resume', { line_item_ids: Array.from({ length: 1_000 }, (_, i) => i + 1), active: false }, '/line_item_ids'],
  ['why_not_delivering', { line_item_id: 1, surprise: true }, '/surprise'],
])('the arguments of %s are checked: %j', async (name, given, pointer) => {
  const { code, errors, remedy } = await trafficker.call(name, given);
  expect([code, errors[0].pointer, remedy]).toEqual(['invalid_request', pointer, expect.any(String)]);
});

test('other bodies and methods are refused in words', async () => {
  const send = async (method: string, body?: string, token = traffickerToken) => {
    const headers = {
      ...(token && { Authorization: `Bearer ${token}` }),
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
    };
    const answer = await fetch(`${replicas[0]!.url}/mcp`, { method, headers, ...(body !== undefined && { body }) });
    const text = await answer.text();
    return [answer.status, (JSON.parse(text) as Json).code ?? (JSON.parse(text) as Json).error.code];
  };
  expect(await send('POST', '{')).toEqual([400, 'invalid_json']);
  expect(await send('POST', '{"jsonrpc":"2.0"}')).toEqual([400, -32700]);
  expect(await send('GET')).toEqual([405, 'method_not_allowed']);
  expect(await send('POST', '{}', '')).toEqual([401, 'admin_unauthorized']);
});

test('an agent that repeats itself gets 429 in words, and nothing of what is refused is carried out', async () => {
  const repeating = await tokenOf(machine, 'repeating', ['trafficker'], [booked.publisher.id]);
  const headers = {
    Authorization: `Bearer ${repeating}`,
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
  };
  const given = { line_item_ids: [booked.lineItem], active: true };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pause_or_resume', arguments: given } });
  const statuses: number[] = [];
  for (let i = 0; i < 130; i++) {
    const answer = await fetch(`${replicas[i % 2]!.url}/mcp`, { method: 'POST', headers, body });
    statuses.push(answer.status);
    if (i === 129)
      expect([answer.headers.get('retry-after'), await answer.json()]).toEqual([
        '60',
        expect.objectContaining({ code: 'too_many_requests' }),
      ]);
    else await answer.text();
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(120);
  expect(statuses.slice(120)).toEqual(Array(10).fill(429));
});
