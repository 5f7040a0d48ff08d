import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Rig, Stage } from '../create-rig.ts';

const run = promisify(execFile);

export interface CatalogCost {
  readonly lineItems: number;
  readonly quarantined: number;
  readonly ms: number;
  readonly heldMs: number;
  /** After an edit of one campaign. */
  readonly reloadMs: number;
  readonly reloadHeldMs: number;
  /** In all of these loads; forced collections are not counted. */
  readonly longestMajorMs: number;
  readonly bytes: number;
}

/** What loads and reloads of a catalog cost a build, in a process that does nothing else. Fails when a row of the catalog does not hold. */
export const catalogCost = async (rig: Rig, { databaseUrl }: Stage, dist = rig.dist): Promise<CatalogCost> => {
  const script = fileURLToPath(new URL('../catalog-cost.mjs', import.meta.url));
  const through = rig.pinned ? ['taskset', '-c', '0'] : [];
  const [command, ...args] = [...through, process.execPath, '--expose-gc', ...rig.nodeFlags, script, dist, databaseUrl];
  const { stdout } = await run(command, args, { timeout: 240_000 });
  const cost = JSON.parse(stdout) as CatalogCost;
  if (cost.quarantined > 0) throw new Error(`${cost.quarantined} rows of the benchmark's own catalog do not hold`);
  return cost;
};
