import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { answeredMembersOf } from '../../scripts/clients/read-operations.ts';
import { ENTITY_COMPONENTS } from '../../src/bookings/entity-components.ts';
import { ENTITY_TABLES } from '../../src/catalog/entities/entities.ts';
import { componentOf } from '../../src/api/component.ts';
import { openClientFolder } from '../api/generated-client.ts';
import { itemsOf, type ApiCall, type Json } from '../api/api-client.ts';
import { bookings } from '../declarations/bookings.ts';
import { codeBlocksOf } from '../docs/documents.ts';
import { callWith, MACHINE } from '../people/staff.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { openLossyDoor } from './lossy-door.ts';

const MAX_RUN_MS = 60_000;
/** Of src/declarations/declaration-routes.ts. */
const RETRY_AFTER_MS = 3_000;
const FLIGHT = { start_date: '2026-03-01', end_date: '2999-12-31' };

let door: Awaited<ReturnType<typeof openLossyDoor>>;
let clients: Awaited<ReturnType<typeof openClientFolder>>;
let machine: ApiCall;
let publisher: number;

beforeAll(async () => {
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  const replica = await startReplica({ env: { ...stores, NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' } });
  machine = callWith(replica.url, MACHINE);
  door = await openLossyDoor(replica.url);
  const line_items = Array.from({ length: 250 }, (_, i) => ({ key: `i${i}`, name: `Item ${i}`, active: true, ...FLIGHT, cpm: 1 }));
  const campaign = { key: 'many', name: 'Many', ...FLIGHT, line_items };
  const made = await machine('POST', '/apply', { publisher: { key: 'p', name: 'P', domain: 'p.example' }, campaigns: [campaign] });
  publisher = made.body.publisher_id as number;
  clients = await openClientFolder({}, { API: door.url, ADS_TOKEN: MACHINE, PUBLISHER: String(publisher) });
  await clients.runProgram('tsx/dist/cli.mjs', path.resolve('scripts/build-clients.ts'), path.join(clients.folder, 'built'));
  await mkdir(path.join(clients.folder, 'node_modules/@ad-server'), { recursive: true });
  await symlink(path.join(clients.folder, 'built/typescript'), path.join(clients.folder, 'node_modules/@ad-server/client'));
});

/** The blocks of docs/clients.md in one language, as one program. */
const documented = (language: string): string =>
  codeBlocksOf('docs/clients.md')
    .filter((block) => block.language === language)
    .map(({ text }) => text.replaceAll('https://ads.example.com', door.url))
    .join('\n');

const TYPESCRIPT = `
import { createAdServer, isProblem, Unreachable } from '@ad-server/client';
const { API = '', ADS_TOKEN = '', PUBLISHER } = process.env;
const ads = createAdServer({ baseUrl: API, token: async () => ADS_TOKEN, pageSize: 100 });
const codeOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(() => 'done', (fault) => (isProblem(fault) ? [fault.code, ...fault.errors.map(({ pointer }) => pointer)].join(' ') : fault instanceof Unreachable ? 'unreachable' : String(fault)));
const publisher_id = Number(PUBLISHER);
const plan = await ads.applyBookings({ publisher: { key: 'p', name: 'P', domain: 'p.example' } }, { dry_run: 'true' });
const names = new Set<string>();
for await (const item of ads.listLineItems({ publisher_id, status: ['delivering', 'cannot serve', 'ready'] })) names.add(item.name);
const campaign = await ads.createCampaign({ publisher_id, name: 'Typed', start_date: '2026-03-01', end_date: '2999-12-31' }, { note: 'the answer is lost' });
const copies = await ads.listCampaigns({ q: 'Typed' }).all();
const flight = { campaign_id: campaign.id, active: false, start_date: '2026-03-01', end_date: '2999-12-31' };
const item = await ads.createLineItem({ ...flight, cpm: 2 });
const changed = await ads.updateLineItem(item.id, { cpm: 3 }, { ifMatch: item });
console.log(JSON.stringify({
  publisher: plan.publisher_id, listed: names.size, copies: copies.length, cpm: changed.cpm,
  stale: await codeOf(ads.updateLineItem(item.id, { cpm: 4 }, { ifMatch: item })),
  refused: await codeOf(ads.createLineItem(flight)),
  missing: await codeOf(ads.getLineItem(2147483647)),
  guarded: await codeOf(ads.updateLineItem(item.id, { cpm: 5 }, { ifMatch: changed, note: 'lost' })),
  deleted: await codeOf(ads.deleteLineItem(item.id, { note: 'lost' })),
}));`;

const PYTHON = `
import json, os
from ad_server_client import AdServer, Problem, Unreachable, problems

ads = AdServer(os.environ["API"], token=lambda: os.environ["ADS_TOKEN"], page_size=100)

def code_of(call):
    try:
        call()
        return "done"
    except problems.NotFound as fault:
        return fault.code
    except Problem as fault:
        return " ".join([fault.code, *(one["pointer"] for one in fault.errors)])
    except Unreachable:
        return "unreachable"

publisher_id = int(os.environ["PUBLISHER"])
plan = ads.apply_bookings({"publisher": {"key": "p", "name": "P", "domain": "p.example"}}, dry_run="true")
names = {item["name"] for item in ads.list_line_items(publisher_id=publisher_id, status=["delivering", "cannot serve", "ready"])}
campaign = ads.create_campaign(
    {"publisher_id": publisher_id, "name": "Dynamic", "start_date": "2026-03-01", "end_date": "2999-12-31"}, note="the answer is lost"
)
copies = list(ads.list_campaigns(q="Dynamic"))
flight = {"campaign_id": campaign["id"], "active": False, "start_date": "2026-03-01", "end_date": "2999-12-31"}
item = ads.create_line_item({**flight, "cpm": 2})
changed = ads.update_line_item(item["id"], {"cpm": 3}, if_match=item)
print(json.dumps({
    "publisher": plan["publisher_id"], "listed": len(names), "copies": len(copies), "cpm": changed["cpm"],
    "stale": code_of(lambda: ads.update_line_item(item["id"], {"cpm": 4}, if_match=item)),
    "refused": code_of(lambda: ads.create_line_item(flight)),
    "missing": code_of(lambda: ads.get_line_item(2147483647)),
    "guarded": code_of(lambda: ads.update_line_item(item["id"], {"cpm": 5}, if_match=changed, note="lost")),
    "deleted": code_of(lambda: ads.delete_line_item(item["id"], note="lost")),
}))
`;

const runPython = async (name: string, text: string): Promise<string> => {
  await writeFile(path.join(clients.folder, name), text);
  const env = { ...process.env, API: door.url, ADS_TOKEN: MACHINE, PUBLISHER: String(publisher) };
  const options = { cwd: clients.folder, timeout: MAX_RUN_MS, env: { ...env, PYTHONPATH: path.join(clients.folder, 'built/python') } };
  return (await promisify(execFile)('python3', [name], options)).stdout;
};

/** What the calls since `from` were, as the service saw them. */
const expectCalls = (from: number, campaign: string): void => {
  const calls = door.passed.slice(from);
  const of = (method: string, start: string) => calls.filter(({ method: one, url }) => one === method && url.startsWith(start));
  expect(of('GET', '/api/line_items?').map(({ url }) => /limit=(\d+)&offset=(\d+)/.exec(url)?.slice(1))).toEqual([
    ['100', '0'],
    ['100', '100'],
    ['100', '200'],
  ]);
  const [refused, again] = of('POST', '/api/apply');
  expect([refused?.status, again?.status, refused?.key === again?.key]).toEqual([429, 200, true]);
  expect(again!.atMs - refused!.atMs).toBeGreaterThanOrEqual(RETRY_AFTER_MS);
  const made = of('POST', '/api/campaigns');
  expect([campaign, made.map(({ status }) => status), new Set(made.map(({ key }) => key)).size]).toEqual([campaign, [201, 201], 1]);
  expect(of('DELETE', '/api/line_items').map(({ status }) => status)).toEqual([204, 404]);
};
const outcome = (): Json => ({
  ...{ publisher, listed: 250, copies: 1, cpm: 3, stale: 'precondition_failed', refused: 'invalid_request /cpm', missing: 'not_found' },
  ...{ guarded: 'unreachable', deleted: 'done' },
});

test('the TypeScript client reads lists by pages, sends lost calls again once, waits as it is asked to, and throws typed problems', async () => {
  await writeFile(path.join(clients.folder, 'scenario.ts'), TYPESCRIPT);
  await writeFile(path.join(clients.folder, 'documented.ts'), documented('ts'));
  const modules = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--types', 'node'];
  await clients.runProgram(
    'typescript-native/bin/tsc',
    '--strict',
    ...modules,
    '--skipLibCheck',
    '--ignoreConfig',
    'scenario.ts',
    'documented.ts',
  );
  const from = door.passed.length;
  expect(JSON.parse(await clients.runProgram('../' + path.relative(path.resolve('.'), path.join(clients.folder, 'scenario.js'))))).toEqual(
    outcome(),
  );
  expectCalls(from, 'Typed');
});

test('the Python client does the same', async () => {
  const from = door.passed.length;
  expect(JSON.parse(await runPython('scenario.py', PYTHON))).toEqual(outcome());
  expectCalls(from, 'Dynamic');
});

test('the programs of docs/clients.md run', async () => {
  const typed = await clients.runProgram('../' + path.relative(path.resolve('.'), path.join(clients.folder, 'documented.js')));
  const dynamic = await runPython('documented.py', documented('python'));
  expect(typed).toContain('The record has changed since');
  expect(dynamic).toBe(typed);
});

test('answers have the members that their types promise', async () => {
  await machine('POST', '/apply', bookings('typed'));
  let checked = 0;
  for (const table of ENTITY_TABLES) {
    const { always = [] } = answeredMembersOf(componentOf(ENTITY_COMPONENTS[table].record)!.schema) ?? {};
    for (const record of itemsOf((await machine('GET', `/${table}?limit=1`)).body)) {
      expect([table, Object.keys(record as object)]).toEqual([table, expect.arrayContaining([...always])]);
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(5);
});
