import type { Rig, Stage } from '../create-rig.ts';
import { callsFile } from '../load.ts';
import type { CatalogPlan } from '../seed-catalog.ts';
import { adCalls } from '../traffic.ts';
import { migrateBy } from './contest.ts';

/** A build with its own database, and what was measured of it. */
export interface Build<Cost> {
  readonly name: string;
  readonly dist: string;
  readonly stage: Stage;
  /** Of ad requests. */
  readonly file: string;
  readonly rounds: Cost[];
}

/** The rig's own build, after the one that it is compared with. @param other its folder */
export const buildsOf = ({ dist }: Rig, other?: string): readonly { readonly name: string; readonly dist: string }[] => [
  ...(other === undefined ? [] : [{ name: 'other', dist: other }]),
  { name: 'this', dist },
];

/** Books a plan for each build, in the tables of its own migrations. */
export const bookedBuilds = async <Cost>(
  rig: Rig,
  { measure, plan, seed, other }: { readonly measure: string; readonly plan: CatalogPlan; readonly seed: number; readonly other?: string },
): Promise<readonly Build<Cost>[]> => {
  const builds: Build<Cost>[] = [];
  for (const { name, dist } of buildsOf(rig, other)) {
    const stage = await rig.stage(`${measure}_${name}`, plan, (url) => migrateBy(dist, url));
    const file = callsFile(rig, `${measure}-${name}`, adCalls({ publishers: stage.publishers, calls: 16_384, seed }));
    builds.push({ name, dist, stage, file, rounds: [] });
  }
  return builds;
};
