import path from 'node:path';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import knexFactory from 'knex';
import { createCatalogStore } from '../../src/catalog/postgres/catalog-store.ts';
import { openSnapshot } from '../../src/catalog/snapshot/open-snapshot.ts';
import { createCatalogLoader } from '../../src/catalog/worker/catalog-loader.ts';
import { runCatalogWorker, type CatalogWorker, type CatalogWorkerOptions } from '../../src/catalog/worker/run-catalog-worker.ts';
import { testDatabase } from '../setup/test-database.ts';

const BUILT = pathToFileURL(path.resolve(__dirname, '../../dist/catalog/worker/catalog-worker.js'));
const NOW_MS = Date.UTC(2026, 5, 15);
const DIMENSIONS = new Map();
const workers: CatalogWorker[] = [];
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await testDatabase();
});
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));

const run = (options: Partial<CatalogWorkerOptions> = {}): CatalogWorker => {
  const worker = runCatalogWorker({ databaseUrl, dimensions: DIMENSIONS, file: BUILT, ...options });
  workers.push(worker);
  return worker;
};

/** A worker of these lines in place of the real one. */
const moduleOf = (lines: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${lines}`)}`);
const CRASHES = moduleOf(`parentPort.on('message', () => { throw new Error('broken'); });`);
const EXITS = moduleOf(`parentPort.on('message', () => process.exit(3));`);
const RUNS_OUT_OF_MEMORY = moduleOf(
  `parentPort.on('message', () => { const kept = []; for (;;) kept.push(new Array(1e5).fill(Math.random())); });`,
);
/** Answers with the bytes of its young generation after it has made many objects. */
const CHURNS = moduleOf(`import v8 from 'node:v8';
  parentPort.on('message', () => {
    let kept = [];
    for (let i = 0; i < 1e7; i++) { kept.push({ i }); if (kept.length > 2e5) kept = []; }
    const bytes = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').physical_space_size;
    parentPort.postMessage({ update: { version: bytes } });
  });`);
const HANGS = moduleOf(`parentPort.on('message', () => { for (;;); });`);

const book = async (): Promise<void> => {
  const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 1 } });
  await knex('publishers').insert({ name: 'p', domain: 'p.example', api_key_hash: `h${Math.random()}` });
  await knex.destroy();
};

test('the worker sends what a loader in this thread returns, first the whole and then the changes', async () => {
  await book();
  const worker = run();
  const first = await worker.load(NOW_MS);
  const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 1 } });
  const here = await createCatalogLoader({ store: createCatalogStore({ knex }), dimensions: DIMENSIONS }).load(NOW_MS);
  await knex.destroy();
  expect(first).toEqual(here);
  expect(first).toMatchObject({ whole: true, blocks: [{ table: 'publishers', rows: 1 }] });

  const opened = openSnapshot(first);
  expect(await worker.load(NOW_MS)).toMatchObject({ whole: false, blocks: [] });
  await book();
  const changed = await worker.load(NOW_MS);
  expect(changed).toMatchObject({ whole: false, blocks: [{ table: 'publishers', rows: 2 }] });
  expect(openSnapshot(changed, opened).snapshot.publishers.size).toBe(2);
  expect(opened.snapshot.publishers.size).toBe(1);
});

test('a load that Postgres refuses rejects with its reason, and the worker goes on', async () => {
  const worker = run({ databaseUrl: databaseUrl.replace(/[^/]+$/, 'nowhere') });
  await expect(worker.load(NOW_MS)).rejects.toThrow('database "nowhere" does not exist');
  await expect(worker.load(NOW_MS)).rejects.toThrow('database "nowhere" does not exist');
  expect(worker.up).toBe(true);
});

test.each([
  ['throws', CRASHES, 'broken'],
  ['exits', EXITS, 'the catalog worker ended with code 3'],
  ['runs out of memory', RUNS_OUT_OF_MEMORY, 'memory'],
  ['hangs', HANGS, 'loading the catalog took longer than 2000 ms'],
])('a worker that %s fails its load, and is started again after a wait that doubles', async (_, file, reason) => {
  let nowMs = 0;
  const crashes: string[] = [];
  const worker = run({
    file,
    loadTimeoutMs: file === HANGS ? 2_000 : 60_000,
    clock: () => nowMs,
    onCrash: ({ message }) => crashes.push(message),
  });
  await expect(worker.load(NOW_MS)).rejects.toThrow(reason);
  expect(worker.up).toBe(false);
  await expect(worker.load(NOW_MS)).rejects.toThrow('started again in 500 ms');
  nowMs = 500;
  await expect(worker.load(NOW_MS)).rejects.toThrow(reason);
  await expect(worker.load(NOW_MS)).rejects.toThrow('started again in 1000 ms');
  expect(crashes).toHaveLength(2);
});

test('a young generation that the command line enlarges stays small in the worker', async () => {
  v8.setFlagsFromString('--max-semi-space-size=64');
  const { version: bytes } = await run({ file: CHURNS }).load(NOW_MS);
  expect(bytes).toBeLessThan(32e6);
});

test('stopping ends a load that is running', async () => {
  const worker = run({ file: HANGS });
  const load = worker.load(NOW_MS);
  const ended = expect(load).rejects.toThrow('stopped');
  await worker.stop();
  await ended;
  await expect(worker.load(NOW_MS)).rejects.toThrow('stopped');
});
