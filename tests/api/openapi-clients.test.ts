import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const ROOT = path.resolve(__dirname, '../..');
const TOKEN = 'the-token-of-the-generated-clients';
const run = promisify(execFile);

let replica: Replica;
let folder: string;

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: `tester:${TOKEN}` };
  replica = await startReplica({ env });
  await mkdir(path.join(ROOT, '.cache'), { recursive: true });
  // Inside the checkout, where the packages are found.
  folder = await mkdtemp(path.join(ROOT, '.cache', 'clients-'));
  atEnd(() => rm(folder, { recursive: true }));
  const document = await fetch(`${replica.url}/api/openapi.json`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  await writeFile(path.join(folder, 'openapi.json'), await document.text());
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
});

const node = async (program: string, ...args: readonly string[]): Promise<string> => {
  const env = { ...process.env, API: replica.url, TOKEN };
  try {
    return (await run(process.execPath, [path.join(ROOT, 'node_modules', program), ...args], { cwd: folder, env })).stdout;
  } catch (fault) {
    const { stdout, stderr } = fault as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${program} failed:\n${stdout}${stderr}`);
  }
};

/** Compiles a program under --strict and runs it; it prints what the service answered. */
const compileAndRun = async (name: string, text: string): Promise<unknown> => {
  const file = `${name}.ts`;
  await writeFile(path.join(folder, file), text);
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'];
  await node('typescript/bin/tsc', '--noEmit', '--strict', '--types', 'node', ...modules, '--ignoreConfig', file);
  return JSON.parse(await node('tsx/dist/cli.mjs', file));
};

const FLIGHT = `{ start_date: '2026-01-01', end_date: '2999-12-31' }`;
const OUTCOME = { publisher: 'The Gazette', active: false, refused: [400, 'invalid_request', '/cpm'], bids: 0, nbr: 2 };

test('a client of openapi-typescript and openapi-fetch compiles under --strict and books, changes, and requests an ad', async () => {
  await node('openapi-typescript/bin/cli.js', 'openapi.json', '--default-non-nullable=false', '-o', 'schema.d.ts');
  const outcome = await compileAndRun(
    'openapi-fetch-client',
    `import createClient from 'openapi-fetch';
    import type { paths } from './schema';
    const { API, TOKEN } = process.env;
    const client = createClient<paths>({ baseUrl: API ?? '', headers: { Authorization: 'Bearer ' + TOKEN } });
    const must = <T>(value: T | undefined): T => { if (value === undefined) throw new Error('refused'); return value; };
    const publisher = must((await client.POST('/api/publishers', { body: { name: 'The Gazette', domain: 'gazette.example' } })).data);
    const campaign = must((await client.POST('/api/campaigns', { body: { publisher_id: must(publisher.id), name: 'c', ...${FLIGHT} } })).data);
    const item = { campaign_id: must(campaign.id), active: true, ...${FLIGHT} };
    const lineItem = must((await client.POST('/api/line_items', { body: { ...item, cpm: 2.5 } })).data);
    const params = { path: { id: must(lineItem.id) } };
    const changed = must((await client.PATCH('/api/line_items/{id}', { params, body: { active: false, name: null },
      headers: { 'Content-Type': 'application/merge-patch+json' } })).data);
    const { error } = await client.POST('/api/line_items', { body: item });
    const ad = must((await client.POST('/ad', { params: { query: { debug: '1' } }, headers: { 'X-API-Key': must(publisher.api_key) },
      body: { id: 'r', imp: [{ id: '1', tagid: 'nowhere' }], user: { id: 'u' }, site: { page: 'https://gazette.example/' },
        ext: { publisher_id: must(publisher.id) } } })).data);
    console.log(JSON.stringify({ publisher: publisher.name, active: changed.active,
      refused: [error?.status, error?.code, error?.errors?.[0]?.pointer], bids: ad.seatbid.length, nbr: ad.nbr }));`,
  );
  expect(outcome).toEqual(OUTCOME);
});

test('a client of @hey-api/openapi-ts compiles under --strict and books, changes, and requests an ad', async () => {
  await node('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'generated', '-c', '@hey-api/client-fetch', '--no-log-file');
  const outcome = await compileAndRun(
    'hey-api-client',
    `import { client } from './generated/client.gen';
    import { createCampaign, createLineItem, createPublisher, requestAd, updateLineItem } from './generated';
    const { API, TOKEN } = process.env;
    client.setConfig({ baseUrl: API ?? '', auth: (scheme) => (scheme.scheme === 'bearer' ? TOKEN : key) });
    let key: string | undefined;
    const must = <T>(value: T | undefined): T => { if (value === undefined) throw new Error('refused'); return value; };
    const publisher = must((await createPublisher({ body: { name: 'The Gazette', domain: 'gazette.example' } })).data);
    key = publisher.api_key;
    const campaign = must((await createCampaign({ body: { publisher_id: must(publisher.id), name: 'c', ...${FLIGHT} } })).data);
    const item = { campaign_id: must(campaign.id), active: true, ...${FLIGHT} };
    const lineItem = must((await createLineItem({ body: { ...item, cpm: 2.5 } })).data);
    const changed = must((await updateLineItem({ path: { id: must(lineItem.id) }, body: { active: false, name: null } })).data);
    const { error } = await createLineItem({ body: item });
    const ad = must((await requestAd({ query: { debug: '1' }, body: { id: 'r', imp: [{ id: '1', tagid: 'nowhere' }],
      user: { id: 'u' }, site: { page: 'https://gazette.example/' }, ext: { publisher_id: must(publisher.id) } } })).data);
    console.log(JSON.stringify({ publisher: publisher.name, active: changed.active,
      refused: [error?.status, error?.code, error?.errors?.[0]?.pointer], bids: ad.seatbid.length, nbr: ad.nbr }));`,
  );
  expect(outcome).toEqual(OUTCOME);
});
