/**
 * What a catalog costs a replica: node --expose-gc bench/catalog-cost.mjs <dist> <database URL>. Loads it whole, as a start does, then again and
 * again after an edit of one campaign, as reloads do, with the worker thread of the service. Prints one JSON line: the times, the longest that the
 * event loop was held, the longest major collection, and the memory that one snapshot keeps.
 */
import { monitorEventLoopDelay, PerformanceObserver, constants } from 'node:perf_hooks';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import knexFactory from 'knex';

const [dist, databaseUrl] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.join(dist, file)).href);
const { runCatalogWorker } = await load('catalog/worker/run-catalog-worker.js');
const { openSnapshot } = await load('catalog/snapshot/open-snapshot.js');
const { readDimensionSchema } = await load('catalog/read-dimension-schema.js');
const RELOADS = 5;

const dimensions = await readDimensionSchema(path.join(dist, '..', 'config', 'dimensions.json'));
const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 2 } });
const settle = async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Shared memory is in no figure of V8's: it is counted by piece, as an update names it. */
const shared = new Map();
const noteShared = ({ whole, blocks, slots }) => {
  if (whole) shared.clear();
  for (const { table, block, buffer } of blocks) shared.set(`${table} ${block}`, buffer?.byteLength ?? 0);
  for (const { placementId, publisherId, parts } of slots) {
    const { direct, programmatic, leftOut } = parts ?? {};
    const bytes = [direct, programmatic, leftOut].reduce((sum, buffer) => sum + (buffer?.byteLength ?? 0), 0);
    shared.set(`${placementId} ${publisherId}`, bytes);
  }
};

let longestMajorMs = 0;
new PerformanceObserver((list) => {
  for (const { detail, duration } of list.getEntries())
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR && (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) === 0)
      longestMajorMs = Math.max(longestMajorMs, duration);
}).observe({ entryTypes: ['gc'] });

const worker = runCatalogWorker({ databaseUrl, dimensions });
let opened;
const timed = async () => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begun = performance.now();
  const update = await worker.load(Date.now());
  opened = openSnapshot(update, opened);
  const ms = performance.now() - begun;
  // The sample of the turn that opened the snapshot.
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  noteShared(update);
  return { ms, heldMs: delay.max / 1e6 };
};

// The worker has loaded its modules, and nothing else.
await new Promise((resolve) => setTimeout(resolve, 1000));
const empty = await settle();
const first = await timed();
const reloads = [];
for (let i = 0; i < RELOADS; i++) {
  await knex('line_items')
    .where('campaign_id', i + 1)
    .update({ priority: knex.raw('coalesce(priority, 2)'), name: `edited ${i}`, cpm_micros: knex.raw('cpm_micros + 1000') });
  reloads.push(await timed());
}
const used = (await settle()) - empty;
const { rss } = process.memoryUsage();
const middle = (field) => reloads.map((one) => one[field]).sort((x, y) => x - y)[reloads.length >> 1];
process.stdout.write(
  JSON.stringify({
    lineItems: opened.snapshot.lineItems.size,
    quarantined: opened.snapshot.quarantinedCount,
    ms: first.ms,
    heldMs: first.heldMs,
    reloadMs: middle('ms'),
    reloadHeldMs: middle('heldMs'),
    longestMajorMs,
    bytes: used + [...shared.values()].reduce((sum, bytes) => sum + bytes, 0),
    heapBytes: used,
    rss,
  }) + '\n',
);
await worker.stop();
await knex.destroy();
