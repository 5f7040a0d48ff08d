import { processRssBytes } from '../../testkit/process-cpu.ts';
import { median } from '../../testkit/statistics.ts';
import type { Rig } from '../create-rig.ts';
import { atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { closedLoop } from '../load.ts';
import { bookedBuilds, type Build } from './builds.ts';
import { catalogCost, type CatalogCost } from './catalog-cost.ts';
import { inTurns } from './contest.ts';

/** What is compared: a start of the service with the catalog, under load, besides what its loads cost. */
interface Cost extends CatalogCost {
  readonly adMicros: number;
  readonly residentBytes: number;
}

const COLUMNS: readonly {
  readonly head: string;
  readonly of: (cost: Cost) => number;
  readonly digits: number;
  /** The most that this build may have of what the other has; without it the figure is only shown. */
  readonly goal?: number;
}[] = [
  { head: 'load ms', of: ({ ms }) => ms, digits: 0, goal: 1.1 },
  { head: 'loop held by a load, ms', of: ({ heldMs }) => heldMs, digits: 1 },
  { head: 'reload ms', of: ({ reloadMs }) => reloadMs, digits: 0, goal: 1.1 },
  { head: 'loop held by a reload, ms', of: ({ reloadHeldMs }) => reloadHeldMs, digits: 1 },
  { head: 'bytes per line item', of: ({ bytes, lineItems }) => bytes / lineItems, digits: 0, goal: 1.02 },
  { head: 'resident MB under load', of: ({ residentBytes }) => residentBytes / 1e6, digits: 0, goal: 1.05 },
  { head: '`POST /ad`, CPU µs', of: ({ adMicros }) => adMicros, digits: 1, goal: 1.02 },
];

/** The largest catalog in this build and in another one: loads, reloads, memory, and an ad request. */
export const catalogAgainst = async (rig: Rig, other: string, scale: Scale): Promise<Finding> => {
  const lineItems = scale.quick ? 10_000 : 100_000;
  const plan = { lineItems, publishers: 1, targeting: 'realistic' } as const;
  const builds = await bookedBuilds<Cost>(rig, { measure: 'catalog', plan, seed: 14, other });
  await inTurns(builds, scale.rounds, async (build) => {
    const cost = { ...(await catalogCost(rig, build.stage, build.dist)), ...(await underLoad(rig, build, scale)) };
    build.costs.push(cost);
    rig.say(`  ${build.name}: ${COLUMNS.map(({ head, of, digits }) => `${head} ${of(cost).toFixed(digits)}`).join(', ')}`);
  });
  const [before, after] = builds as readonly [Build<Cost>, Build<Cost>];
  const ratio = (of: (cost: Cost) => number): number => median(after.costs.map((cost, i) => of(cost) / of(before.costs[i]!)));
  return {
    title: `${whole(lineItems)} line items, this build against another`,
    text: tableOf(
      ['median', ...COLUMNS.map(({ head }) => head)],
      [
        ...builds.map(({ name, costs }) => [name, ...COLUMNS.map(({ of, digits }) => median(costs.map(of)).toFixed(digits))]),
        ['this ÷ other', ...COLUMNS.map(({ of }) => ratio(of).toFixed(2))],
      ],
    ),
    goals: COLUMNS.flatMap(({ head, of, goal }) =>
      goal === undefined ? [] : [atMost(`${head} ÷ that of the other build`, goal, ratio(of))],
    ),
  };
};

/** Warmed up as long as it is measured: a catalog of which few line items serve has lots and caches to fill first. */
const underLoad = async (
  rig: Rig,
  { name, dist, stage, file }: Build<Cost>,
  { seconds }: Scale,
): Promise<Omit<Cost, keyof CatalogCost>> => {
  const server = await rig.startService(stage, { name, dist });
  const load = () => closedLoop(rig, { server, kind: 'ads', file, seconds });
  await load();
  const { cpuMicros: adMicros } = await load();
  const residentBytes = processRssBytes(server.pid);
  await rig.stop(server);
  return { adMicros, residentBytes };
};
