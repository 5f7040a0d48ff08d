import type { ChildEntities } from '../columns/entities.ts';
import type { LineItem } from '../model/entities.ts';
import { pricingOf } from '../model/pricing.ts';

/** How many line items of a campaign may serve at a moment and draw from its budget, by how they are paced. */
export interface SiblingCounts {
  /** Orders what replicas know: higher of a later version of the catalog, and of a later moment of the same version. */
  readonly asOf: number;
  readonly paced: number;
  readonly asap: number;
}

/** Counts the siblings of a campaign at a moment, epoch ms. The result is the same object while it holds. */
export type SiblingsOf = (campaignId: number, atMs: number) => SiblingCounts;

/** Starts and ends of flights that are told apart within a version: `asOf` stays a whole number up to version 2^41. */
const MAX_EDGES = 4_096;

interface Kept {
  readonly counts: SiblingCounts;
  /** When a flight begins or ends next, and did last. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * The counts of a snapshot, made when a campaign is first asked for, and again when a flight begins or ends.
 *
 * @param version of the catalog
 */
export const createSiblingsOf = (version: number, lineItems: Pick<ChildEntities<LineItem>, 'childrenOf'>): SiblingsOf => {
  const known = new Map<number, Kept>();
  const count = (campaignId: number, atMs: number): Kept => {
    let [paced, asap, edges, fromMs, untilMs] = [0, 0, 0, -Infinity, Infinity];
    for (const lineItem of lineItems.childrenOf(campaignId)) {
      const { flight, stop, pacing } = lineItem;
      // A fixed fee draws nothing from the budget.
      if (stop !== null || pricingOf(lineItem) === 'Flat') continue;
      for (const edgeMs of [flight.startMs, flight.endMs]) {
        if (edgeMs > atMs) untilMs = Math.min(untilMs, edgeMs);
        else {
          fromMs = Math.max(fromMs, edgeMs);
          edges++;
        }
      }
      if (atMs < flight.startMs || atMs >= flight.endMs) continue;
      if (pacing === 'ASAP') asap++;
      else paced++;
    }
    return { counts: { asOf: version * MAX_EDGES + Math.min(edges, MAX_EDGES - 1), paced, asap }, fromMs, untilMs };
  };
  return (campaignId, atMs) => {
    let kept = known.get(campaignId);
    if (kept === undefined || atMs < kept.fromMs || atMs >= kept.untilMs) known.set(campaignId, (kept = count(campaignId, atMs)));
    return kept.counts;
  };
};
