import type { Rig, Stage } from '../create-rig.ts';
import { atLeast, atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { callsFile, closedLoop, interleave } from '../load.ts';
import { processRssBytes } from '../../testkit/process-cpu.ts';
import type { Server } from '../../testkit/start-process.ts';
import { adCalls } from '../traffic.ts';
import { catalogCost, type CatalogCost } from './catalog-cost.ts';

/** A catalog of which few line items serve has lots and caches to fill before a request costs what it costs later. */
const WARM_UP_FACTOR = 2;

/** The largest catalog, which the reload measure uses again. */
export const largeStage = (rig: Rig, scale: Scale): Promise<Stage> =>
  rig.stage('large', { lineItems: scale.quick ? 10_000 : 100_000, publishers: 1, targeting: 'realistic' });

/** Throughput, memory and load time from 100 to 100,000 line items, and where all match but for their key-values. */
export const scaleOut = async (rig: Rig, scale: Scale): Promise<Finding> => {
  const { rounds, quick } = scale;
  const seconds = Math.min(scale.seconds, 6);
  const largest = quick ? 10_000 : 100_000;
  const counts = quick ? [100, largest] : [100, 1_000, 10_000, largest];
  const stages = new Map<string, Stage>();
  for (const lineItems of counts)
    stages.set(
      whole(lineItems),
      lineItems === largest
        ? await largeStage(rig, scale)
        : await rig.stage(`scale_${lineItems}`, { lineItems, publishers: 1, targeting: 'realistic' }),
    );
  stages.set(
    `${whole(largest)}, adversarial`,
    await rig.stage('adversarial', { lineItems: largest, publishers: 1, targeting: 'adversarial' }),
  );
  const names = [...stages.keys()];

  const costs = new Map<string, CatalogCost>();
  for (const [name, stage] of stages) {
    const cost = await catalogCost(rig, stage);
    costs.set(name, cost);
    rig.say(
      `  ${name} line items: loaded in ${cost.ms.toFixed(0)} ms, event loop held ${cost.heldMs.toFixed(1)} ms; reloaded in ${cost.reloadMs.toFixed(0)} ms, held ${cost.reloadHeldMs.toFixed(1)} ms; ${whole(cost.bytes / cost.lineItems)} bytes each`,
    );
  }

  const servers = new Map<string, Server>();
  for (const [name, stage] of stages) servers.set(name, await rig.startService(stage, { name: `${name} line items` }));
  const file = callsFile(rig, 'scale', adCalls({ publishers: stages.get(names[0]!)!.publishers, calls: 16_384, seed: 14 }));
  const runs = await interleave(names, rounds, async (name, warmUp) => {
    const measured = await closedLoop(rig, {
      server: servers.get(name)!,
      kind: 'ads',
      file,
      seconds: warmUp ? WARM_UP_FACTOR * seconds : seconds,
    });
    if (!warmUp)
      rig.say(
        `  ${name}: ${whole(measured.perSecond)} a second, ${measured.cpuMicros.toFixed(1)} µs of CPU, Redis ${measured.redisMicros.toFixed(1)} µs`,
      );
    return measured;
  });
  const rss = new Map([...servers].map(([name, { pid }]) => [name, processRssBytes(pid)]));
  await rig.stop(...servers.values());

  const small = runs[names[0]!]!;
  const large = runs[whole(largest)]!;
  const adversarial = runs[names.at(-1)!]!;
  const largestCost = costs.get(whole(largest))!;
  return {
    title: 'Scale',
    text: [
      tableOf(
        [
          'line items',
          'requests/s',
          'server CPU µs',
          'Redis CPU µs',
          'load ms',
          'loop held, longest ms',
          'reload ms',
          'loop held, longest ms',
          'bytes per line item',
          'resident MB under load',
        ],
        names.map((name) => {
          const cost = costs.get(name)!;
          const { perSecond, cpuMicros, redisMicros } = runs[name]!;
          return [
            name,
            whole(perSecond),
            cpuMicros.toFixed(1),
            redisMicros.toFixed(1),
            cost.ms.toFixed(0),
            cost.heldMs.toFixed(1),
            cost.reloadMs.toFixed(0),
            cost.reloadHeldMs.toFixed(1),
            whole(cost.bytes / cost.lineItems),
            whole((rss.get(name) ?? 0) / 1e6),
          ];
        }),
      ),
      'Each line item has two creatives, which are counted in its bytes; those of 100 also carry the values that are stored once. A load reads everything, as a start does; a reload follows an edit of one campaign; in a process that does nothing else.',
    ].join('\n\n'),
    goals: [
      atMost(`event loop held by a load of ${whole(largest)} line items, ms`, 20, largestCost.heldMs),
      atMost('… by a reload', 10, largestCost.reloadHeldMs),
      atMost('longest major collection, ms', 50, largestCost.longestMajorMs),
      atMost('bytes per line item with two creatives', 1000, largestCost.bytes / largestCost.lineItems),
      atMost(`resident MB under load, ${whole(largest)} line items`, 300, (rss.get(whole(largest)) ?? NaN) / 1e6),
      atLeast(`${whole(largest)} line items against 100, requests/s`, 0.95, large.perSecond / small.perSecond),
      atLeast('the same by CPU time per request', 0.95, small.cpuMicros / large.cpuMicros),
      atLeast('adversarial key-values against 100 line items, requests/s', 0.9, adversarial.perSecond / small.perSecond),
      atLeast('the same by CPU time per request', 0.9, small.cpuMicros / adversarial.cpuMicros),
    ],
  };
};
