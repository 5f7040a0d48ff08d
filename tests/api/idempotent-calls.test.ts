import { randomUUID } from 'node:crypto';
import { withKnex } from '../../testkit/book.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import type { ApiCall } from './api-client.ts';

let databaseUrl: string;
let calls: readonly ApiCall[];
let replicas: readonly Replica[];
const ADVERTISER = { name: 'Boots' };
const countOf = async (name: string): Promise<number> => {
  const { headers } = await calls[0]!('GET', `/advertisers?q=${name}&limit=1`);
  return Number(headers.get('x-total-count'));
};
const keyed = (key: string) => ({ 'Idempotency-Key': key });

beforeAll(async () => {
  databaseUrl = await testDatabase();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' };
  replicas = await Promise.all([startReplica({ env }), startReplica({ env })]);
  calls = replicas.map(({ url }) => callWith(url, MACHINE));
});

test('a call that is sent twenty times to two replicas is carried out once, and answered the same', async () => {
  const key = randomUUID();
  const send = (i: number) => calls[i % 2]!('POST', '/advertisers', { name: 'Twenty' }, keyed(key));
  const first = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i)));
  expect([...new Set(first.map(({ status }) => status))].toSorted()).toEqual([201, 409]);
  expect(await countOf('Twenty')).toBe(1);
  const made = first.find(({ status }) => status === 201)!;
  for (const i of [0, 1]) {
    const again = await send(i);
    expect([
      again.status,
      again.body,
      again.headers.get('location'),
      again.headers.get('etag'),
      again.headers.get('idempotent-replayed'),
    ]).toEqual([...[201, made.body, made.headers.get('location'), made.headers.get('etag'), 'true']]);
  }
  expect(await countOf('Twenty')).toBe(1);
});

test('the answer with a secret is given again, and Postgres cannot read it', async () => {
  const key = randomUUID();
  const send = (api: ApiCall) => api('POST', '/publishers', { name: 'Secret', domain: 'secret.example' }, keyed(key));
  const [first, again] = [await send(calls[0]!), await send(calls[1]!)];
  expect(again.body.api_key).toBe(first.body.api_key);
  const rows = await withKnex(databaseUrl, (knex) => knex('idempotency_keys').select());
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${first.body.api_key}|${key}|secret\\.example`));
});

test('a key with another call is refused; of another caller it is another key', async () => {
  const key = randomUUID();
  expect((await calls[0]!('POST', '/advertisers', ADVERTISER, keyed(key))).status).toBe(201);
  for (const [path, body] of [
    ['/advertisers', { name: 'Shoes' }],
    ['/bidders', ADVERTISER],
  ] as const) {
    const refused = await calls[1]!('POST', path, body, keyed(key));
    expect([refused.status, refused.body.code]).toEqual([422, 'idempotency_key_reused']);
  }
  const other = callWith(replicas[0]!.url, await tokenOf(calls[0]!, 'another', ['administrator'], null));
  expect((await other('POST', '/advertisers', { name: 'Shoes' }, keyed(key))).headers.get('idempotent-replayed')).toBeNull();
});

test('a refused call may be corrected under the same key', async () => {
  const key = randomUUID();
  expect((await calls[0]!('POST', '/advertisers', { name: '' }, keyed(key))).status).toBe(400);
  expect((await calls[1]!('POST', '/advertisers', { name: 'Corrected' }, keyed(key))).status).toBe(201);
});

test('an action without a body is carried out once', async () => {
  const { id: publisher_id } = (await calls[0]!('POST', '/publishers', { name: 'P', domain: 'p.example' })).body;
  const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
  const campaign = (await calls[0]!('POST', '/campaigns', { publisher_id, name: 'Original', ...flight })).body.id;
  const key = randomUUID();
  const copies = [
    await calls[0]!('POST', `/campaigns/${campaign}/duplicate`, {}, keyed(key)),
    await calls[1]!('POST', `/campaigns/${campaign}/duplicate`, undefined, keyed(key)),
  ];
  expect(copies.map(({ status, body }) => [status, body.id])).toEqual([
    [201, copies[0]!.body.id],
    [201, copies[0]!.body.id],
  ]);
});

test('of a call whose replica died, it is said that its end is not known; after a day the key is free', async () => {
  const key = randomUUID();
  expect((await calls[0]!('POST', '/advertisers', { name: 'Died' }, keyed(key))).status).toBe(201);
  const age = (seconds: number, more: object = {}) =>
    withKnex(databaseUrl, (knex) =>
      knex('idempotency_keys')
        .where('begun_at', '>', knex.raw(`now() - interval '2 days'`))
        .update({ begun_at: knex.raw(`now() - make_interval(secs => ${seconds})`), ...more }),
    );
  const send = () => calls[1]!('POST', '/advertisers', { name: 'Died' }, keyed(key));
  await age(10, { answer: null, status: null });
  expect([(await send()).status, (await send()).headers.get('retry-after')]).toEqual([409, '2']);
  await age(200);
  const unknown = await send();
  expect([unknown.status, unknown.body.detail]).toEqual([409, expect.stringContaining('is not known')]);
  await age(86_500);
  expect((await send()).status).toBe(201);
  expect(await countOf('Died')).toBe(2);
});

test.each(['with space', 'ä', 'x'.repeat(256)])('the key %j is refused', async (key) => {
  const { status, body } = await calls[0]!('POST', '/advertisers', ADVERTISER, keyed(key));
  expect([status, body.errors[0].pointer]).toEqual([400, '/Idempotency-Key']);
});

test('an empty key is none', async () => {
  const answers = [
    await calls[0]!('POST', '/advertisers', ADVERTISER, keyed('')),
    await calls[0]!('POST', '/advertisers', ADVERTISER, keyed('')),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(answers[0]!.body.id).not.toBe(answers[1]!.body.id);
});
