/**
 * What a catalog costs a replica: node --expose-gc bench/catalog-cost.mjs <dist> <database URL>. Loads it as the service does, again and again
 * as reloads do, and prints one JSON line: time of a load, the longest time that the event loop was held, and the memory that one snapshot keeps.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import knexFactory from 'knex';

const [dist, databaseUrl] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.join(dist, file)).href);
const { createCatalogStore } = await load('catalog/catalog-store.js');
const { buildSnapshot } = await load('catalog/build-snapshot.js');
const { readDimensionSchema } = await load('catalog/read-dimension-schema.js');
const LOADS = 4;
/** A machine that is busy with other things gets fewer of them, so that this ends. */
const PATIENCE_MS = 30_000;

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

let snapshot = await store.readAll((reading) =>
  buildSnapshot({ ...reading, pages: async function* () {} }, { dimensions, nowMs: Date.now() }),
);
const empty = await settle();
const loads = [];
const started = performance.now();
for (let i = 0; i < 2 || (i < LOADS && performance.now() - started < PATIENCE_MS); i++) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begun = performance.now();
  snapshot = await store.readAll((reading) => buildSnapshot(reading, { dimensions, nowMs: Date.now() }));
  loads.push({ ms: performance.now() - begun, heldMs: delay.max / 1e6, heldP99Ms: delay.percentile(99) / 1e6 });
  delay.disable();
}
const bytes = (await settle()) - empty;
const { rss } = process.memoryUsage();
/** The upper one of two. The first load, which nothing was compiled for, is told apart. */
const middle = (field) => {
  const sorted = loads
    .slice(1)
    .map((one) => one[field])
    .sort((x, y) => x - y);
  return sorted[sorted.length >> 1];
};
const figures = { lineItems: snapshot.lineItems.size, quarantined: snapshot.quarantinedCount, firstMs: loads[0].ms, ms: middle('ms') };
process.stdout.write(JSON.stringify({ ...figures, heldMs: middle('heldMs'), heldP99Ms: middle('heldP99Ms'), bytes, rss }) + '\n');
await knex.destroy();
