import type { Bid, BidAnswers, BidOpportunity, BidRefusal } from '../bidders/bidder-port.ts';
import { blocksOf } from '../catalog/model/advertiser.ts';
import type { LineItem, Placement } from '../catalog/model/entities.ts';
import type { CandidateIndex, Slot, Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { AdQuery, ImpQuery } from '../decision/ad-query.ts';
import { latestReason, NoBidReason } from '../decision/no-bid-reason.ts';
import { rankCandidates, type Ranking } from '../decision/rank-candidates.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { RoadblocksHere } from '../decision/roadblocks-here.ts';
import type { ServedAd } from '../ledger/hit.ts';
import type { AdRequest, RequestedImp } from './ad-request.ts';
import type { RefusalMemory } from '../ledger/exhausted-memory.ts';
import type { IndexMemories, IndexMemory } from './index-memories.ts';

/** Where an impression is shown, with what is booked there. */
export interface Place {
  readonly imp: ImpQuery;
  readonly query: AdQuery;
  /** undefined: unknown, or another publisher's; a caller cannot distinguish the two. */
  readonly placement: Placement | undefined;
  readonly slot: Slot;
}

/**
 * One impression of a request, with its bookings. Each step of the decision returns a new value
 * with its additions.
 */
export interface Opportunity extends Place {
  /** Programmatic line items whose bidders are called. */
  readonly invited: readonly RankedCandidate[];
  /** From which they were taken; undefined: none is booked here. */
  readonly inviting: Ranking | undefined;
}

/** … with the bids, in one order with the direct line items. */
export interface RankedOpportunity extends Opportunity {
  readonly bids: readonly Bid[];
  readonly bidRefusals: readonly BidRefusal[];
  readonly ranking: Ranking | undefined;
}

/** … with the ledger's decision. */
export interface DecidedOpportunity extends RankedOpportunity {
  /** The candidates that were offered to the ledger, in rank order. */
  readonly considered: readonly RankedCandidate[];
  readonly refused: readonly RefusedCandidate[];
  readonly won: Won | undefined;
}

export interface RefusedCandidate {
  readonly candidate: RankedCandidate;
  readonly reason: NoBidReason;
}

/** A candidate that holds a reservation. */
export interface Won {
  readonly candidate: RankedCandidate;
  readonly bid: Bid | undefined;
  readonly ad: ServedAd;
}

/** The inputs that all steps share. */
export interface Steps {
  readonly memories: IndexMemories;
  /** Of frequency caps. */
  readonly users: RefusalMemory;
  /** Of holds that are not earned. */
  readonly clients: RefusalMemory;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** What bids have to pay in place of line items that yield; undefined: none does. */
  readonly opportunityFactor?: ((lineItem: LineItem) => number) | undefined;
}

/** Bidders called for one impression. */
const MAX_INVITATIONS = 20;

/** Finds the placement and its bookings. */
export const openPlace = (
  snapshot: Snapshot,
  request: AdRequest,
  { impId, placementId, width, height, otherSizes, targeting, terms }: RequestedImp,
): Place => {
  const known = snapshot.placements.get(placementId);
  const placement = known && (known.publisherId === null || known.publisherId === request.publisher.id) ? known : undefined;
  const size = { width: width ?? placement?.width ?? 0, height: height ?? placement?.height ?? 0 };
  const blockedAdvertisers = placement && blocksOf(request.publisher, placement);
  // What it refuses is left out at load; a trace says why.
  const video = request.traced ? placement?.video : undefined;
  const imp: ImpQuery = { impId, placementId, size, otherSizes, formats: placement?.formats ?? [], video, blockedAdvertisers, terms };
  const query = targeting ? { ...request.query, targeting } : request.query;
  return { imp, query, placement, slot: snapshot.slot(request.publisher.id, placementId) };
};

/** Finds the placement, its bookings, and the programmatic line items that could fill it. */
export const openOpportunity = (snapshot: Snapshot, request: AdRequest, requested: RequestedImp, steps: Steps): Opportunity => {
  const { imp, query, placement, slot } = openPlace(snapshot, request, requested);
  const inviting = placement && slot.programmatic ? rankInvitations(slot.programmatic, request, query, imp, steps) : undefined;
  return { imp, query, placement, slot, invited: inviting?.take(MAX_INVITATIONS) ?? NONE_INVITED, inviting };
};

const NONE_INVITED: readonly RankedCandidate[] = [];

const rankInvitations = (programmatic: CandidateIndex, request: AdRequest, query: AdQuery, imp: ImpQuery, steps: Steps): Ranking => {
  const memory = steps.memories(programmatic);
  return rankCandidates({
    direct: programmatic,
    bids: [],
    query,
    imp,
    exhausted: refusedLately(programmatic, memory, steps, request),
    runsHere: () => memory.runsHere(query, imp),
    runsLater: () => memory.runsLater(query, imp),
    random: steps.random,
  });
};

/**
 * The request to the bidders; undefined when no programmatic line item could fill the impression.
 */
export const bidOpportunityOf = ({ imp, placement, invited }: Opportunity): BidOpportunity | undefined =>
  placement && invited.length > 0
    ? {
        impId: imp.impId,
        placement,
        ...imp.size,
        otherSizes: imp.otherSizes,
        floorMicros: Math.max(imp.terms?.floorMicros ?? 0, placement.floorMicros),
        dealFloors:
          imp.terms?.deals && new Map([...imp.terms.deals].map(([deal, floor]) => [deal, Math.max(floor, placement.floorMicros)])),
        battr: imp.terms?.battr,
        video: imp.terms?.video,
        pod: imp.terms?.pod,
        invitations: invited,
      }
    : undefined;

/** Puts the bids for this impression and the direct line items into one order. */
export const rankOpportunity = (
  opportunity: Opportunity,
  answers: BidAnswers | undefined,
  request: AdRequest,
  steps: Steps,
  voice: () => number,
  roadblocks?: RoadblocksHere,
): RankedOpportunity => {
  const { imp, query, placement, slot, invited, inviting } = opportunity;
  const bids = answers ? answers.bids.filter(({ impId }) => impId === imp.impId) : [];
  const bidRefusals = answers ? answers.refusals.filter(({ impId }) => impId === imp.impId) : [];
  if (!placement) return { imp, query, placement, slot, invited, inviting, bids, bidRefusals, ranking: undefined };
  const { traced } = request;
  const memory = slot.direct && steps.memories(slot.direct);
  const ranking = rankCandidates({
    direct: slot.direct,
    bids: bids.map(({ invitation, cpmMicros }) => ({ booking: invitation, cpmMicros })),
    query,
    imp,
    // A trace shows the ledger's current answer, not a remembered one.
    exhausted: slot.direct && memory && !traced ? refusedLately(slot.direct, memory, steps, request) : () => 0,
    runsHere: () => memory?.runsHere(query, imp) ?? false,
    runsLater: () => memory?.runsLater(query, imp) ?? false,
    random: steps.random,
    roadblocks,
    voice,
    opportunityFactor: request.publisher.dynamicAllocation ? steps.opportunityFactor : undefined,
  });
  // Named one by one: a spread followed by more members costs 1 µs.
  return { imp, query, placement, slot, invited, inviting, bids, bidRefusals, ranking };
};

/** Why the ledger has refused a candidate to anyone, to this user or to this client a moment ago; or 0. */
export const refusedLately = (
  index: CandidateIndex,
  { exhausted }: IndexMemory,
  { users, clients }: Steps,
  { query: { atMs }, userHash, client }: AdRequest,
): ((position: number) => NoBidReason | 0) => {
  const toUser = userHash === null ? undefined : users.of(userHash);
  const toClient = client === undefined ? undefined : clients.of(client);
  const isFresh = (refused: ReadonlyMap<number, number>, position: number): boolean =>
    (refused.get(index.at(position).lineItem.id) ?? -Infinity) > atMs;
  return (position) => {
    const reason = exhausted.reasonAt(position, atMs);
    if (reason !== 0) return reason;
    if (toUser && isFresh(toUser, position)) return NoBidReason.FrequencyCapped;
    return toClient && isFresh(toClient, position) ? NoBidReason.HoldsNotEarned : 0;
  };
};

/** Why the impression was not filled: the latest reason among its refused candidates. */
export const reasonOf = ({ placement, slot, inviting, ranking, refused, bidRefusals }: DecidedOpportunity): NoBidReason => {
  if (!placement) return NoBidReason.UnknownPlacement;
  return [
    ...(slot.vacancy ? [NoBidReason[slot.vacancy]] : []),
    ...(inviting ? [inviting.passedOver()] : []),
    ...(ranking ? [ranking.passedOver()] : []),
    ...refused.map(({ reason }) => reason),
    ...bidRefusals.map(({ reason }) => reason),
  ].reduce<NoBidReason>(latestReason, NoBidReason.NothingBooked);
};
