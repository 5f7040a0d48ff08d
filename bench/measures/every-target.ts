import type { Rig, Stage } from '../create-rig.ts';
import { atLeast, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { callsFile, closedLoop, interleave } from '../load.ts';
import type { Server } from '../../testkit/start-process.ts';
import { adCalls } from '../traffic.ts';

/** As of scale.ts. */
const WARM_UP_FACTOR = 2;
const FEW = 100;

/**
 * Throughput of a large catalog against a small one where line items use every kind of target: rules about the visitor, the page and
 * audiences, ranges, prefixes, exclusions, shared targetings and hours of the week. Requests carry a value for each.
 */
export const everyTarget = async (rig: Rig, scale: Scale): Promise<Finding> => {
  const { rounds, quick } = scale;
  const seconds = Math.min(scale.seconds, 6);
  const counts = [FEW, quick ? 10_000 : 100_000];
  const stages = new Map<string, Stage>();
  for (const lineItems of counts)
    stages.set(whole(lineItems), await rig.stage(`targets_${lineItems}`, { lineItems, publishers: 1, targeting: 'every' }));
  const names = [...stages.keys()];
  const servers = new Map<string, Server>();
  for (const [name, stage] of stages) servers.set(name, await rig.startService(stage, { name: `${name} line items` }));
  const calls = adCalls({ publishers: stages.get(names[0]!)!.publishers, calls: 16_384, seed: 14, isRich: true });
  const file = callsFile(rig, 'targets', calls);
  const runs = await interleave(names, rounds, async (name, warmUp) => {
    const server = servers.get(name)!;
    const measured = await closedLoop(rig, { server, kind: 'ads', file, seconds: warmUp ? WARM_UP_FACTOR * seconds : seconds });
    if (!warmUp) rig.say(`  ${name}: ${whole(measured.perSecond)} a second, ${measured.cpuMicros.toFixed(1)} µs of CPU`);
    return measured;
  });
  await rig.stop(...servers.values());
  const [small, large] = names.map((name) => runs[name]!) as [(typeof runs)[string], (typeof runs)[string]];
  return {
    title: 'Every kind of target',
    text: tableOf(
      ['line items', 'requests/s', 'server CPU µs', 'Redis CPU µs'],
      names.map((name) => {
        const { perSecond, cpuMicros, redisMicros } = runs[name]!;
        return [name, whole(perSecond), cpuMicros.toFixed(1), redisMicros.toFixed(1)];
      }),
    ),
    goals: [
      atLeast(`every kind of target: ${names[1]} line items against ${names[0]}, requests/s`, 0.95, large.perSecond / small.perSecond),
      atLeast('the same by CPU time per request', 0.95, small.cpuMicros / large.cpuMicros),
    ],
  };
};
