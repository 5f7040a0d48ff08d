/**
 * What a catalog costs a replica: node --expose-gc bench/catalog-cost.mjs <dist> <database URL>. Loads it whole, as a start does, then again and
 * again after an edit of one campaign, as reloads do, and prints one JSON line: the times, the longest that the event loop was held, and the memory
 * that one snapshot keeps.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import knexFactory from 'knex';

const [dist, databaseUrl] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.join(dist, file)).href);
const { createCatalogStore } = await load('catalog/postgres/catalog-store.js');
const { buildSnapshot } = await load('catalog/snapshot/build-snapshot.js');
const { readDimensionSchema } = await load('catalog/read-dimension-schema.js');
const LOADS = 2;
const RELOADS = 5;

const dimensions = await readDimensionSchema(path.join(dist, '..', 'config', 'dimensions.json'));
const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 2 } });
const store = createCatalogStore({ knex });
const settle = async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const timed = async (previous) => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begun = performance.now();
  const built = await store.readAll((reading) => buildSnapshot(reading, { dimensions, previous, nowMs: Date.now() }));
  const ms = performance.now() - begun;
  delay.disable();
  return { built, ms, heldMs: delay.max / 1e6 };
};

let built = await store.readAll((reading) =>
  buildSnapshot({ ...reading, digests: async () => new Map() }, { dimensions, nowMs: Date.now() }),
);
const empty = await settle();
const loads = [];
const reloads = [];
for (let i = 0; i < LOADS; i++) {
  const { built: loaded, ...times } = await timed(undefined);
  built = loaded;
  loads.push(times);
}
for (let i = 0; i < RELOADS; i++) {
  await knex('line_items')
    .where('campaign_id', i + 1)
    .update({ priority: knex.raw('coalesce(priority, 2)'), name: `edited ${i}` });
  const { built: reloaded, ...times } = await timed(built);
  built = reloaded;
  reloads.push(times);
}
const bytes = (await settle()) - empty;
const { rss } = process.memoryUsage();
const middle = (runs, field) => runs.map((one) => one[field]).sort((x, y) => x - y)[runs.length >> 1];
// The first load is reported separately: nothing is compiled yet.
const whole = loads.at(-1);
process.stdout.write(
  JSON.stringify({
    lineItems: built.snapshot.lineItems.size,
    quarantined: built.snapshot.quarantinedCount,
    firstMs: loads[0].ms,
    ms: whole.ms,
    heldMs: whole.heldMs,
    reloadMs: middle(reloads, 'ms'),
    reloadHeldMs: middle(reloads, 'heldMs'),
    bytes,
    rss,
  }) + '\n',
);
await knex.destroy();
