import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { ApiCall, Json } from '../api/api-client.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { withClient } from '../../testkit/databases.ts';
import { eventually } from '../../testkit/until.ts';
import { reviveDump } from './revive-dump.ts';

let replica: Replica;
let stores: { readonly DATABASE_URL: string; readonly REDIS_URL: string };
let machine: ApiCall;
let publisher: number;
let trafficker: string;

beforeAll(async () => {
  stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  replica = await startTool();
  machine = callWith(replica.url, MACHINE);
  publisher = (await machine('POST', '/publishers', { name: 'Gazette', domain: 'gazette.example' })).body.id;
  const place = { publisher_id: publisher, width: 300, height: 250, formats: ['html', 'banner'] };
  await machine('POST', '/placements', { ...place, id: 'article-top' });
  trafficker = await tokenOf(machine, 'trafficker', ['trafficker'], [publisher], null);
});

const startTool = () => startReplica({ env: { ...stores, NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' } });

interface Uploaded {
  readonly status: number;
  readonly body: Json;
}

const upload = async (query: object, content: string | Buffer, token = MACHINE): Promise<Uploaded> => {
  const asked = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' };
  const answer = await fetch(`${replica.url}/api/imports?${asked.toString()}`, {
    method: 'POST',
    headers,
    body: new Uint8Array(Buffer.from(content)),
  });
  return { status: answer.status, body: await answer.json() };
};
/** Says how long a file is, and waits for the answer before it sends any of it. */
const announce = (query: string, bytes: number): Promise<Uploaded> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${MACHINE}`, 'Content-Type': 'application/octet-stream', 'Content-Length': bytes };
    const call = request(`${replica.url}/api/imports?${query}`, { method: 'POST', headers }, (answer) => {
      text(answer).then((body) => {
        resolve({ status: answer.statusCode ?? 0, body: JSON.parse(body) });
        call.destroy();
      }, reject);
    });
    call.on('error', reject).flushHeaders();
  });
const sheet = (content: string, token?: string): Promise<Uploaded> =>
  upload({ source: 'spreadsheet', file_name: 'spring.csv', publisher }, content, token);
const fileOf = async (path: string): Promise<Response> =>
  fetch(`${replica.url}/api${path}`, { headers: { Authorization: `Bearer ${MACHINE}` } });
const booked = async (): Promise<readonly Json[]> => (await machine('GET', '/line_items?sort=id')).body as readonly Json[];

const HEAD = 'Campaign,Line item,Start,End,Price,Placement,HTML,Active,Colour';
const ROW = 'Spring,Sport,2027-03-01,2027-03-31,4.50,article-top,<b>Boots</b>,yes,red';

test('each fault of a spreadsheet is at its cell, also what only the service knows, and nothing is booked', async () => {
  const unread = await sheet([HEAD, ROW.replace('2027-03-01', '2027-02-30'), ROW.replace('4.50', '"1,234"')].join('\n'));
  expect([unread.status, unread.body.code, unread.body.errors]).toEqual([
    400,
    'invalid_request',
    [
      { pointer: '/C2', detail: 'is no day of the calendar' },
      { pointer: '/E3', detail: 'must be an amount such as 4.50; "1,234" cannot be read in one way' },
    ],
  ]);
  const unbooked = await sheet([HEAD, ROW.replace('article-top', 'nowhere')].join('\n'));
  expect([unbooked.status, unbooked.body.errors]).toEqual([400, [{ pointer: '/F2', detail: 'nowhere does not exist' }]]);
  const late = await sheet([HEAD, ROW.replace('2027-03-31', '2027-01-31')].join('\n'));
  expect([late.status, late.body.errors]).toEqual([400, [{ pointer: '/D2', detail: 'is before the start' }]]);
  expect(await booked()).toEqual([]);
  expect((await machine('GET', '/imports')).body).toEqual([]);
});

test('a spreadsheet is read, looked at, booked, and a second time changes nothing', async () => {
  const read = await sheet([HEAD, ROW].join('\n'), trafficker);
  expect(read.status).toBe(201);
  expect(read.body).toMatchObject({
    ...{ source: 'spreadsheet', publisher_id: publisher, records: { campaigns: 1, line_items: 1, creatives: 1 }, applied_at: null },
    plan: { create: 3, update: 0, changes: [{ action: 'create', kind: 'campaign', name: 'Spring' }, {}, {}] },
    notes: [{ level: 'left_out', kind: 'column', id: 'I1', name: 'Colour' }],
  });
  const { id } = read.body;
  expect(await booked()).toEqual([]);

  await machine('POST', '/campaigns', { publisher_id: publisher, name: 'Other', start_date: '2027-01-01', end_date: '2027-02-01' });
  const stale = await machine('POST', `/imports/${id}/apply`);
  expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
  expect((await machine('POST', `/imports/${id}/plan`)).status).toBe(200);
  const applied = await machine('POST', `/imports/${id}/apply`);
  expect([applied.status, applied.body.applied_at === null, applied.body.plan.create]).toEqual([200, false, 3]);
  expect(await booked()).toMatchObject([{ name: 'Sport', cpm: 4.5, active: true, external_key: 'sheet:spring:sport' }]);
  const [change] = (await machine('GET', '/audit?entity=line_item')).body;
  expect(change.note).toBe(`import ${id}, spring.csv`);

  expect((await machine('POST', `/imports/${id}/apply`)).status).toBe(409);
  expect((await machine('DELETE', `/imports/${id}`)).status).toBe(409);
  const again = await sheet([HEAD, ROW].join('\n'));
  expect(again.body.plan).toEqual({ create: 0, update: 0, unchanged: 4, changes: [] });
  expect((await machine('DELETE', `/imports/${again.body.id}`)).status).toBe(204);
  expect((await machine('GET', '/imports')).body).toMatchObject([{ id, notes: [], notes_total: 1 }]);
});

test('two replicas book an import once, and comparing it meanwhile does not change what it says was booked', async () => {
  const calls = [machine, callWith((await startTool()).url, MACHINE)];
  /** Makes a call of each replica while another change has the lock of the catalog, for which they wait in this order. */
  const together = (id: number, paths: readonly string[]): Promise<readonly Uploaded[]> =>
    withClient(stores.DATABASE_URL, async (client) => {
      const waiting = async (): Promise<number> => {
        // Else a transaction sees those of its first look.
        await client.query('select pg_stat_clear_snapshot()');
        const { rows } = await client.query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query = 'select version from catalog_version for update'`,
        );
        return rows[0]!.waiting;
      };
      await client.query('begin');
      await client.query('select version from catalog_version for update');
      const answers: Promise<Uploaded>[] = [];
      for (const path of paths) {
        answers.push(calls[answers.length]!('POST', `/imports/${id}/${path}`));
        await eventually(async () => expect(await waiting()).toBe(answers.length));
      }
      await client.query('commit');
      return Promise.all(answers);
    });
  const read = async (name: string): Promise<number> => (await sheet([HEAD, ROW.replace('Sport', name)].join('\n'))).body.id as number;
  const lineItems = async (name: string) => (await booked()).filter((one) => one.name === name).length;

  const twice = await together(await read('Skiing'), ['apply', 'apply']);
  expect(twice.map(({ status, body }) => [status, body.detail])).toEqual([
    [200, undefined],
    [409, 'The import has been applied.'],
  ]);
  expect(await lineItems('Skiing')).toBe(1);

  const id = await read('Rowing');
  const compared = await together(id, ['apply', 'plan']);
  expect(compared.map(({ status }) => status)).toEqual([200, 409]);
  expect((await machine('GET', `/imports/${id}`)).body.plan.create).toBe(compared[0]!.body.plan.create);
  expect(compared[0]!.body.plan.create).toBeGreaterThan(0);
  expect(await lineItems('Rowing')).toBe(1);
});

test('the report and the template are files, and the template can be imported', async () => {
  const [{ id }] = (await machine('GET', '/imports')).body;
  expect(await (await fileOf(`/imports/${id}/report`)).text()).toContain('| column | I1 | Colour |');
  expect(await (await fileOf(`/imports/${id}/report?format=csv`)).text()).toMatch(/^level,kind,id,name,text\r\nleft_out,column,I1,Colour,/);
  for (const format of ['csv', 'xlsx']) {
    const template = await fileOf(`/import_template?format=${format}`);
    const query = { source: 'spreadsheet', file_name: `template.${format}`, publisher, name: `template-${format}` };
    const read = await upload(query, Buffer.from(await template.arrayBuffer()));
    expect([read.status, read.body.plan.create, read.body.notes]).toEqual([201, 4, []]);
  }
});

test('a dump of Revive becomes a publisher with its pictures and history, and a second time changes nothing', async () => {
  const query = { source: 'revive', file_name: 'revive.sql.gz' };
  const read = await upload(query, gzipSync(reviveDump()));
  expect(read.body).toMatchObject({
    ...{ publisher_id: null, history_days: 2, records: { placements: 1, campaigns: 1, line_items: 2, creatives: 2 } },
    notes: expect.arrayContaining([expect.objectContaining({ level: 'left_out', kind: 'zone', id: '2' })]),
  });
  const applied = await machine('POST', `/imports/${read.body.id}/apply`);
  expect([applied.status, typeof applied.body.api_key]).toEqual([200, 'string']);
  const { publisher_id: made } = applied.body;
  expect((await machine('GET', `/publishers/${made}`)).body).toMatchObject({ name: "Gazette 'group'; it's", domain: 'gazette.example' });
  const [banner] = (await machine('GET', '/creatives?q=revive:banner:100')).body;
  const picture = await fetch(replica.url + JSON.parse(banner.content).image);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect((await machine('GET', `/imports/${read.body.id}`)).body.api_key).toBeUndefined();

  const history = async () => (await machine('GET', `/imported_history?publisher_id=${made}&group_by=day`)).body;
  const days = {
    ...{ source: 'revive', first_day: '2026-02-01', last_day: '2026-02-02', totals: { impressions: 135, clicks: 9 } },
    rows: [
      { of: '2026-02-01', name: null, impressions: 130, clicks: 9 },
      { of: '2026-02-02', name: null, impressions: 5, clicks: 0 },
    ],
  };
  expect(await history()).toEqual(days);
  const again = await upload(query, reviveDump());
  expect([again.body.publisher_id, again.body.plan.create, again.body.plan.update]).toEqual([made, 0, 0]);
  expect((await machine('POST', `/imports/${again.body.id}/apply`)).status).toBe(200);
  expect(await history()).toEqual(days);
  expect((await machine('GET', `/reports?metrics=impressions&publisher_id=${made}`)).body.totals?.impressions ?? 0).toBe(0);
});

test('what is in the way of an import is said in words', async () => {
  const revive = (content: string | Buffer, more: object = {}) => upload({ source: 'revive', file_name: 'a.sql', ...more }, content);
  expect((await revive(reviveDump().slice(0, 900))).body.detail).toMatch(/^It is half a dump/);
  expect((await revive(gzipSync(reviveDump()).subarray(0, 400))).body.detail).toMatch(/^It is half a file/);
  expect((await revive(reviveDump('ox_'))).body.errors).toEqual([{ pointer: '/prefix', detail: 'has to be said' }]);
  expect((await revive(reviveDump(), { agency: 99 })).body.errors).toEqual([{ pointer: '/agency', detail: 'has to be said' }]);
  const other = await revive(reviveDump(), { name: 'second' });
  expect([other.status, other.body.errors]).toEqual([
    400,
    [{ pointer: '/zone 1', detail: expect.stringContaining('is the zone of another placement') }],
  ]);
  expect((await upload({ source: 'spreadsheet', file_name: 'a.csv' }, 'x')).body.errors).toEqual([
    { pointer: '/publisher', detail: 'is required' },
  ]);
  expect((await sheet('')).body.detail).toBe('The file spring.csv is empty.');
  const large = await announce('source=revive&file_name=large.sql', 300 * 1024 * 1024);
  expect([large.status, large.body.detail]).toEqual([413, expect.stringContaining('mysqldump --single-transaction --hex-blob')]);
});

test('an import is for who may book for its publisher', async () => {
  const other = await machine('POST', '/publishers', { name: 'Herald', domain: 'herald.example' });
  const others = await tokenOf(machine, 'of others', ['trafficker'], [other.body.id], null);
  const call = callWith(replica.url, others);
  const [{ id }] = (await machine('GET', '/imports')).body;
  expect((await call('GET', '/imports')).body).toEqual([]);
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/apply'],
    ['POST', '/plan'],
    ['DELETE', ''],
    ['GET', '/report'],
  ] as const)
    expect([path, (await call(method, `/imports/${id}${path}`)).status]).toEqual([path, 404]);
  expect((await sheet([HEAD, ROW].join('\n'), others)).status).toBe(404);
});

test('history is kept for creatives that the publisher has; what is there twice, or is no figure, is refused', async () => {
  const { body: publisher } = await machine('POST', '/publishers', { name: 'H', domain: 'h.example' });
  const keep = (days: readonly object[], publisherId = publisher.id as number) =>
    machine('POST', '/imported_history', { publisher_id: publisherId, source: 'revive', days });
  const one = { creative: 'revive:banner:1', placement: 'top', day: '2026-02-01', impressions: 5, clicks: 1 };
  expect((await keep([one])).body).toEqual({ kept: 0, unknown: 1 });
  const pointers = async (days: readonly object[], publisherId?: number) =>
    ((await keep(days, publisherId)).body.errors as readonly { readonly pointer: string }[]).map(({ pointer }) => pointer);
  expect(await pointers([one, { ...one, clicks: 2 }])).toEqual(['/days/1']);
  expect(await pointers([{ ...one, impressions: 1e10 }])).toEqual(['/days/0/impressions']);
  expect(await pointers([{ ...one, day: '2026-02-30' }])).toEqual(['/days/0/day']);
  expect(await pointers(Array(2_001).fill(one))).toEqual(['/days']);
  expect(await pointers([one], 999_999)).toEqual(['/publisher_id']);
});
