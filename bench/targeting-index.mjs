/**
 * Time to find the first eight eligible line items, and the memory of the index, at 100 to 100,000 line items.
 * Run: npm run build && node --expose-gc bench/targeting-index.mjs. Compiled code only: tsx names every closure at run time, which alone
 * takes 2 µs a query.
 */
import { buildTargetingTables } from '../dist/targeting/build-targeting-tables.js';
import { compileTargeting, createPairNumbers } from '../dist/targeting/compile-targeting.js';
import { createTargetingIndex } from '../dist/targeting/targeting-index.js';
import { TargetingQuery } from '../dist/targeting/targeting-query.js';
import { pairOf, targetingRules } from '../dist/targeting/targeting-rules.js';

const WANTED = 8;
const COUNTRIES = ['DE', 'US', 'FR', 'GB', 'IT', 'ES', 'NL', 'PL', 'SE', 'AT', 'CH', 'BE'];
const DEVICES = ['mobile', 'desktop', 'tablet'];

/** A fixed sequence of chances (Park and Miller's minimal standard), so that two runs measure the same data. */
const createChance = (seed) => () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

const realistic = (count) => {
  const chance = createChance(7);
  const one = (values) => values[Math.floor(chance() * values.length)];
  return Array.from({ length: count }, () =>
    targetingRules({
      countries: chance() < 0.5 ? [one(COUNTRIES), one(COUNTRIES)] : [],
      devices: chance() < 0.3 ? [one(DEVICES)] : [],
      dimensions: chance() < 0.3 ? { section: `s${Math.floor(chance() * 7)}` } : {},
      key_values: chance() < 0.4 ? { topic: `t${Math.floor(chance() * 200)}`, colour: `c${Math.floor(chance() * 10)}` } : {},
    }),
  );
};

/** All match but the key-values, and only the last line items match those. */
const adversarial = (count) =>
  Array.from({ length: count }, (_, i) =>
    targetingRules({
      countries: ['DE'],
      devices: ['mobile'],
      dimensions: { section: 's1' },
      key_values: { topic: i >= count - WANTED ? 'wanted' : `t${i % 200}` },
    }),
  );

/** Two rules that are each met in every word but never by one line item. */
const conflicting = (count) =>
  Array.from({ length: count }, (_, i) => targetingRules({ key_values: { a: i % 2 === 0 ? 'yes' : 'no', b: i % 2 === 0 ? 'no' : 'yes' } }));

/** Freed buffers are swept in the background, so the memory is looked at a moment later. */
const settle = async () => {
  globalThis.gc();
  await new Promise((resolve) => setTimeout(resolve, 100));
  globalThis.gc();
};

const build = async (entries) => {
  await settle();
  const bytesBefore = process.memoryUsage().arrayBuffers;
  const begun = performance.now();
  const pairs = createPairNumbers();
  const index = createTargetingIndex(buildTargetingTables(entries.length, (position) => compileTargeting(entries[position], pairs), pairs));
  const totalMs = performance.now() - begun;
  await settle();
  return { index, totalMs, bytes: process.memoryUsage().arrayBuffers - bytesBefore };
};

const microsPerQuery = (index, queries) => {
  let sink = 0;
  const run = (times) => {
    const begun = performance.now();
    for (let i = 0; i < times; i++) {
      const scanner = index.eligible(queries[i % queries.length]);
      for (let found = 0, from = 0; found < WANTED; found++) {
        const at = scanner.firstFrom(from);
        if (at === -1) break;
        sink += at;
        from = at + 1;
      }
    }
    return ((performance.now() - begun) * 1000) / times;
  };
  run(20_000);
  const figure = Math.min(run(20_000), run(20_000), run(20_000));
  if (sink < 0) throw new Error('unreachable: positions are never negative');
  return figure;
};

const queriesOf = () =>
  Array.from(
    { length: 64 },
    (_, i) =>
      new TargetingQuery([
        pairOf('countries', 'country', COUNTRIES[i % COUNTRIES.length]),
        pairOf('devices', 'device', DEVICES[i % 3]),
        pairOf('dimensions', 'section', `s${i % 7}`),
        pairOf('key_values', 'section', `s${i % 7}`),
        pairOf('key_values', 'topic', `t${i % 200}`),
        pairOf('key_values', 'colour', `c${i % 10}`),
      ]),
  );

console.log('line items | first 8: realistic | adversarial | conflicting (µs) | build ms, MB of bitsets');
for (const count of [100, 1_000, 10_000, 100_000]) {
  const built = await build(realistic(count));
  const against = (await build(adversarial(count))).index;
  const never = (await build(conflicting(count))).index;
  const wanted = new TargetingQuery([
    pairOf('countries', 'country', 'DE'),
    pairOf('devices', 'device', 'mobile'),
    pairOf('dimensions', 'section', 's1'),
    pairOf('key_values', 'topic', 'wanted'),
  ]);
  const both = new TargetingQuery([pairOf('key_values', 'a', 'yes'), pairOf('key_values', 'b', 'yes')]);
  console.log(
    [
      String(count).padStart(10),
      microsPerQuery(built.index, queriesOf()).toFixed(2).padStart(18),
      microsPerQuery(against, [wanted]).toFixed(2).padStart(11),
      microsPerQuery(never, [both]).toFixed(2).padStart(16),
      `${built.totalMs.toFixed(0)}, ${(built.bytes / 1e6).toFixed(2)}`,
    ].join(' | '),
  );
}
