import type { Bid, BidAnswers, BidOpportunity, BidRefusal } from '../bidders/bidder-port.ts';
import type { Placement } from '../catalog/model/entities.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { ImpQuery } from '../decision/ad-query.ts';
import { latestReason, NoBidReason } from '../decision/no-bid-reason.ts';
import { rankCandidates, type Ranking } from '../decision/rank-candidates.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { ServedAd } from '../ledger/hit.ts';
import { exhaustedMemoryOf } from './exhausted-memory-of.ts';
import type { AdRequest, RequestedImp } from './ad-request.ts';

/** A candidate that holds a reservation. */
export interface Won {
  readonly candidate: RankedCandidate;
  readonly bid: Bid | undefined;
  readonly ad: ServedAd;
}

/** One impression on its way through the decision. Each step adds to it; nothing is taken back. */
export interface Opportunity {
  readonly imp: ImpQuery;
  /** undefined: unknown, or another publisher's, which a caller cannot tell apart. */
  readonly placement: Placement | undefined;
  /** What bidders are asked; undefined when no programmatic line item could fill it. */
  readonly invitation: (Omit<BidOpportunity, 'invitations'> & { readonly invitations: readonly RankedCandidate[] }) | undefined;
  bids: readonly Bid[];
  bidRefusals: readonly BidRefusal[];
  ranking: Ranking | undefined;
  /** Candidates that the ledger was asked about, in rank order. */
  readonly considered: RankedCandidate[];
  readonly refused: { readonly candidate: RankedCandidate; readonly nbr: NoBidReason }[];
  won: Won | undefined;
}

export interface OpportunityInput {
  readonly snapshot: Snapshot;
  readonly request: AdRequest;
  readonly imp: RequestedImp;
  readonly random: () => number;
}

/** More bidders than this are not asked for one impression. */
const MOST_INVITATIONS = 20;

/** Finds the placement and which programmatic line items could fill it. */
export const openOpportunity = ({ snapshot, request, imp, random }: OpportunityInput): Opportunity => {
  const known = snapshot.placements.get(imp.placementId);
  const placement = known && (known.publisherId === null || known.publisherId === request.publisher.id) ? known : undefined;
  const slot = { width: imp.width ?? placement?.width ?? 0, height: imp.height ?? placement?.height ?? 0 };
  const impQuery: ImpQuery = { impId: imp.impId, placementId: imp.placementId, slot };
  return {
    imp: impQuery,
    placement,
    invitation: placement && inviteBidders({ snapshot, request, placement, imp: impQuery, random }),
    bids: [],
    bidRefusals: [],
    ranking: undefined,
    considered: [],
    refused: [],
    won: undefined,
  };
};

const inviteBidders = ({
  snapshot,
  request,
  placement,
  imp,
  random,
}: Omit<OpportunityInput, 'imp'> & { readonly placement: Placement; readonly imp: ImpQuery }): Opportunity['invitation'] => {
  const programmatic = snapshot.programmaticIndex(request.publisher.id, placement.id);
  if (!programmatic) return undefined;
  const exhausted = exhaustedMemoryOf(programmatic);
  const invitations = rankCandidates({
    direct: programmatic,
    bids: [],
    query: request.query,
    imp,
    exhausted: (position) => exhausted.reasonAt(position, request.query.atMs),
    random,
  }).take(MOST_INVITATIONS);
  return invitations.length === 0 ? undefined : { impId: imp.impId, placement, ...imp.slot, invitations };
};

/** Takes in what the bidders said about this impression. */
export const hearBids = (opportunity: Opportunity, { bids, refusals }: BidAnswers): void => {
  opportunity.bids = bids.filter(({ impId }) => impId === opportunity.imp.impId);
  opportunity.bidRefusals = refusals.filter(({ impId }) => impId === opportunity.imp.impId);
};

/** Puts bids and direct line items into one order. */
export const rankOpportunity = (opportunity: Opportunity, { snapshot, request, random }: Omit<OpportunityInput, 'imp'>): void => {
  const { placement, imp, bids } = opportunity;
  if (!placement) return;
  const direct = snapshot.candidateIndex(request.publisher.id, placement.id);
  const exhausted = direct && !request.traced ? exhaustedMemoryOf(direct) : undefined;
  opportunity.ranking = rankCandidates({
    direct,
    bids: bids.map(({ invitation, cpmMicros }) => ({ candidate: invitation, cpmMicros })),
    query: request.query,
    imp,
    exhausted: (position) => exhausted?.reasonAt(position, request.query.atMs) ?? 0,
    random,
  });
};

/** Why the impression was not filled: of all that stopped its candidates, what stands latest on the road. */
export const nbrOf = (opportunity: Opportunity, snapshot: Snapshot, request: AdRequest): NoBidReason => {
  const { placement, ranking, refused, bidRefusals } = opportunity;
  if (!placement) return NoBidReason.UnknownPlacement;
  const vacancy = snapshot.vacancy(request.publisher.id, placement.id);
  return [
    ...(vacancy ? [NoBidReason[vacancy]] : []),
    ...(ranking ? [ranking.passedOver()] : []),
    ...refused.map(({ nbr }) => nbr),
    ...bidRefusals.map(({ reason }) => reason),
  ].reduce<NoBidReason>(latestReason, NoBidReason.NothingBooked);
};
