import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { ShownTogether } from '../decision/shown-together.ts';
import type { AdRequest } from './ad-request.ts';
import type { DecidedOpportunity, RankedOpportunity, RefusedCandidate, Won } from './opportunity.ts';
import type { SessionCaps } from './session-caps.ts';

/** An impression while it is being decided. */
export interface Draft extends DecidedOpportunity {
  readonly considered: RankedCandidate[];
  readonly refused: RefusedCandidate[];
  won: Won | undefined;
}

export const draftOf = ({ imp, query, placement, slot, invited, inviting, bids, bidRefusals, ranking }: RankedOpportunity): Draft => ({
  imp,
  query,
  placement,
  slot,
  invited,
  inviting,
  bids,
  bidRefusals,
  ranking,
  considered: [],
  refused: [],
  won: undefined,
});

/** What refuses a candidate before it is offered: the answer so far, and the caps kept in memory. */
export interface Page {
  readonly request: AdRequest;
  /** The ads that this answer has already. */
  readonly shown: ShownTogether;
  /** Its impressions. */
  readonly drafts: readonly Draft[];
  /** The client may hold what it gets without the ledger counting it. */
  readonly isFree: boolean;
  readonly sessionCaps: SessionCaps;
  /** Campaigns whose accounts are being rebuilt, as the ledger has said; undefined: none. */
  rebuilding: Set<number> | undefined;
}
