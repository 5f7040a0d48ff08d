import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { FreeHolds } from '../ledger/free-holds.ts';
import type { Hit, Settled } from '../ledger/hit.ts';
import { hitLimits } from '../tracking/hit-limits.ts';

interface SettlingParts {
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly observe: { readonly settled: (hit: Hit, settled: Settled) => void };
  readonly freeHolds: Pick<FreeHolds, 'render'>;
  readonly notifyBilled: (hit: Hit) => void;
}

/**
 * What the ledger needs from the catalog to settle a hit, and the effects of settling it: the
 * same for direct and for folded hits.
 */
export const createSettling = ({ currentSnapshot, observe, freeHolds, notifyBilled }: SettlingParts) => ({
  hitLimitsOf: (hit: Hit) => {
    const snapshot = currentSnapshot();
    return snapshot && hitLimits(snapshot, hit);
  },
  onSettled: (hit: Hit, settled: Settled): void => {
    observe.settled(hit, settled);
    const { publisherId, client: holder, holdEndMs, servedAtMs } = hit.ad;
    if (holder !== undefined && hit.kind === 'impression' && settled.outcome === 'counted')
      freeHolds.render(publisherId, holder, holdEndMs - servedAtMs, hit.atMs);
    // When the reply to the first call was lost, the next one reports a duplicate. A notice is
    // sent once: it is taken out of Redis.
    notifyBilled(hit);
  },
});
