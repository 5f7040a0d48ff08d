import type { Candidate } from '../catalog/snapshot/snapshot.ts';
import type { RankedCandidate } from './ranked-candidate.ts';

/** A roadblock that could serve, of which the page does not show everything. */
export interface IncompleteRoadblock {
  readonly candidate: Candidate;
  readonly position: number;
  readonly detail: string;
}

/** The roadblocks of one impression. */
export interface RoadblocksHere {
  /** Whether it is a roadblock, on more than one placement. */
  isApart(candidate: Pick<Candidate, 'lineItem'>): boolean;
  /** A roadblock is ranked in the first of its impressions, by one candidate, and only if the page shows all of it. */
  mayRank(candidate: Candidate, position: number): boolean;
  /** The candidate with the ads that are shown with it. */
  withBlock(candidate: RankedCandidate): RankedCandidate;
  /** Whether the page shows all of it, wherever it is ranked. */
  isWhole(candidate: Candidate, position: number): boolean;
  /** Those that were to be ranked so far. */
  readonly incomplete: readonly IncompleteRoadblock[];
}
