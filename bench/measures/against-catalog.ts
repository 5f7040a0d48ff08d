import { processRssBytes } from '../../testkit/process-cpu.ts';
import type { Rig } from '../create-rig.ts';
import { atMost, whole, type Finding, type Scale } from '../finding.ts';
import { closedLoop } from '../load.ts';
import { bookedBuilds, type Build } from './builds.ts';
import { catalogCost, type CatalogCost } from './catalog-cost.ts';
import { inTurns, ratioOf, roundsTable, type Column } from './contest.ts';

/** What is compared: a start of the service with the catalog, under load, besides what its loads cost. */
interface Cost extends CatalogCost {
  readonly adMicros: number;
  readonly residentBytes: number;
}

const tenths = (value: number): string => value.toFixed(1);
/** With the most that this build may have of what the other has; without a goal the figure is only shown. */
const COLUMNS: readonly (Column<Cost> & { readonly goal?: number })[] = [
  { head: 'load ms', of: ({ ms }) => ms, show: whole, goal: 1.1 },
  { head: 'loop held by a load, ms', of: ({ heldMs }) => heldMs, show: tenths },
  { head: 'reload ms', of: ({ reloadMs }) => reloadMs, show: whole, goal: 1.1 },
  { head: 'loop held by a reload, ms', of: ({ reloadHeldMs }) => reloadHeldMs, show: tenths },
  { head: 'bytes per line item', of: ({ bytes, lineItems }) => bytes / lineItems, show: whole, goal: 1.02 },
  { head: 'resident MB under load', of: ({ residentBytes }) => residentBytes / 1e6, show: whole, goal: 1.05 },
  { head: '`POST /ad`, CPU µs', of: ({ adMicros }) => adMicros, show: tenths, goal: 1.02 },
];

/** The largest catalog in this build and in another one: loads, reloads, memory, and an ad request. */
export const catalogAgainst = async (rig: Rig, other: string, scale: Scale): Promise<Finding> => {
  const lineItems = scale.quick ? 10_000 : 100_000;
  const plan = { lineItems, publishers: 1, targeting: 'realistic' } as const;
  const builds = await bookedBuilds<Cost>(rig, { measure: 'catalog', plan, seed: 14, other });
  await inTurns(builds, scale.rounds, async (build) => {
    const cost = { ...(await catalogCost(rig, build.stage, build.dist)), ...(await underLoad(rig, build, scale)) };
    build.rounds.push(cost);
    rig.say(`  ${build.name}: ${COLUMNS.map(({ head, of, show }) => `${head} ${show(of(cost))}`).join(', ')}`);
  });
  const [before, after] = builds as readonly [Build<Cost>, Build<Cost>];
  return {
    title: `${whole(lineItems)} line items, this build against another`,
    text: roundsTable(COLUMNS, builds),
    goals: COLUMNS.flatMap(({ head, of, goal }) =>
      goal === undefined ? [] : [atMost(`${head} ÷ that of the other build`, goal, ratioOf(after, before, of))],
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
