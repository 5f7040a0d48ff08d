import type { Candidate } from '../../src/catalog/snapshot/snapshot.ts';
import { campaign, candidate, lineItem } from './candidates.ts';

/** A candidate of a line item of its own that bids this CPM, in USD. */
export const entry = (
  id: number,
  ecpm: number,
  changes: Parameters<typeof lineItem>[0] = {},
  size: { width: number; height: number } | null = null,
): Candidate => {
  const made = candidate(lineItem({ id, cpmMicros: ecpm * 1e6, ...changes }));
  return {
    creative: { ...made.creative, ...(size ?? {}) },
    lineItem: made.lineItem,
    campaign: campaign(),
    ecpmMicros: ecpm * 1e6,
    clickRate: 0,
  };
};
