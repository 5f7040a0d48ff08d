import { dayOf } from '../base/utc-day.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { isUnbounded } from '../ledger/limits.ts';
import { NoBidReason } from '../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import { accountsExpireAtMs } from '../ledger/accounts-expire-at-ms.ts';
import type { ServedAd } from '../ledger/hit.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Reservation, ReservedImp } from '../ledger/reservation.ts';
import type { TrafficCurve } from '../ledger/traffic-curve.ts';
import type { AdRequest } from './ad-request.ts';
import { exhaustedMemoryOf } from './exhausted-memory-of.ts';
import type { Opportunity, Won } from './opportunity.ts';

export interface ReserveWinnersOptions {
  readonly ledger: Ledger;
  readonly tokenTtlMs: number;
  readonly curveOf: (snapshot: Snapshot, publisherId: number, atMs: number) => TrafficCurve;
  readonly newId: () => string;
}

/** What one ad request needs to reserve. */
export interface Selection {
  readonly request: AdRequest;
  readonly snapshot: Snapshot;
  readonly opportunities: readonly Opportunity[];
}

export type ReserveWinners = (selection: Selection) => Promise<void>;

/**
 * One call is the rule. When all that it offered are refused, the next offers more, so that a long row of spent line items costs few calls.
 * The benchmark's catalog refuses one candidate in 25 ads: four and eight take 1.000 calls an ad, and each one that is offered has to be ranked,
 * written, sent and split.
 */
const FIRST_OFFER = 4;
const LATER_OFFER_FACTOR = 4;
const LARGEST_OFFER = 512;

/** Lets the ledger take, for each impression, the first ranked candidate that is under all its limits. */
export const createReserveWinners =
  (options: ReserveWinnersOptions): ReserveWinners =>
  async (selection) => {
    const { request, snapshot } = selection;
    /** Creatives that this answer shows already. */
    const shown = new Set<number>();
    let open = selection.opportunities.filter(({ ranking }) => ranking);
    // A trace tells the whole ranking.
    for (let most = request.traced ? LARGEST_OFFER : FIRST_OFFER; ; most = Math.min(most * LATER_OFFER_FACTOR, LARGEST_OFFER)) {
      const offers = open.map((opportunity) => ({ opportunity, candidates: offerOf(opportunity, most, shown) })).filter(hasCandidates);
      if (offers.length === 0) return;
      const reservation = await options.ledger.reserve({
        publisherId: request.publisher.id,
        userHash: request.userHash,
        curve: options.curveOf(snapshot, request.publisher.id, request.query.atMs),
        expiresAtMs: accountsExpireAtMs(snapshot, request.publisher.id),
        imps: offers.map(({ candidates }) => candidates),
      });
      if (!reservation) return serveUncounted(options, request, offers, shown);
      for (const [i, offer] of offers.entries()) {
        const winner = noteAnswer(selection, offer, reservation.imps[i]!);
        if (!winner) continue;
        shown.add(winner.creative.id);
        offer.opportunity.won = win(options, request, offer.opportunity, winner, reservation);
      }
      open = offers.map(({ opportunity }) => opportunity).filter(({ won }) => !won);
    }
  };

/** The candidates of one impression that the ledger is asked about in one call, in rank order. */
interface Offer {
  readonly opportunity: Opportunity;
  readonly candidates: readonly RankedCandidate[];
}

const hasCandidates = ({ candidates }: Offer): boolean => candidates.length > 0;

/** The next best, at most `most`; empty only when the ranking has come to its end. */
const offerOf = (opportunity: Opportunity, most: number, shown: ReadonlySet<number>): readonly RankedCandidate[] => {
  for (;;) {
    const next = opportunity.ranking?.take(most) ?? [];
    opportunity.considered.push(...next);
    const offer = shown.size === 0 ? next : next.filter((candidate) => !refuseShown(opportunity, candidate, shown));
    if (offer.length > 0 || next.length === 0) return offer;
  }
};

const refuseShown = (opportunity: Opportunity, candidate: RankedCandidate, shown: ReadonlySet<number>): boolean => {
  const isShown = shown.has(candidate.creative.id);
  if (isShown) opportunity.refused.push({ candidate, nbr: NoBidReason.DuplicateInPage });
  return isShown;
};

/** Writes down whom the ledger refused, and gives whom it took. */
const noteAnswer = (
  selection: Selection,
  { opportunity, candidates }: Offer,
  { winner, refused }: ReservedImp,
): RankedCandidate | undefined => {
  refused.forEach((nbr, i) => {
    opportunity.refused.push({ candidate: candidates[i]!, nbr });
    remember(selection, opportunity, candidates[i]!, nbr);
  });
  return candidates[winner];
};

/** So that the next requests ask about others first, and bidders whose line items cannot serve are not asked at all. */
const remember = (
  { snapshot, request }: Selection,
  { imp, invitation }: Opportunity,
  candidate: RankedCandidate,
  nbr: NoBidReason,
): void => {
  const isBid = candidate.bid >= 0;
  const indexOf = isBid ? snapshot.programmaticIndex : snapshot.candidateIndex;
  const index = indexOf(request.publisher.id, imp.placementId);
  const position = isBid
    ? invitation?.invitations.find(({ creative }) => creative.id === candidate.creative.id)?.position
    : candidate.position;
  if (index && position !== undefined) exhaustedMemoryOf(index).remember(position, nbr, request.query.atMs);
};

/** Without counters only what has no limit may serve; the impression is still counted and billed when it comes. */
const serveUncounted = (options: ReserveWinnersOptions, request: AdRequest, offers: readonly Offer[], shown: Set<number>): void => {
  const { atMs } = request.query;
  const moments = { tokenExpS: Math.ceil((atMs + options.tokenTtlMs) / 1000), holdEndMs: 0, day: dayOf(atMs) };
  for (const { opportunity, candidates } of offers) {
    for (let offer = candidates; offer.length > 0 && !opportunity.won; offer = offerOf(opportunity, LARGEST_OFFER, shown)) {
      const free = offer.find((candidate) => {
        if (refuseShown(opportunity, candidate, shown)) return false;
        const mayServe = isUnbounded(candidate.lineItem, candidate.campaign);
        if (!mayServe) opportunity.refused.push({ candidate, nbr: NoBidReason.CountersUnavailable });
        return mayServe;
      });
      if (!free) continue;
      shown.add(free.creative.id);
      opportunity.won = win(options, request, opportunity, free, moments);
    }
  }
};

/** What a candidate has won: the ad that its token will name. */
export const win = (
  { newId }: Pick<ReserveWinnersOptions, 'newId'>,
  request: AdRequest,
  { imp, bids }: Opportunity,
  candidate: RankedCandidate,
  { tokenExpS, holdEndMs, day }: Pick<Reservation, 'tokenExpS' | 'holdEndMs' | 'day'>,
): Won => {
  const { lineItem, creative, priceMicros } = candidate;
  const bid = candidate.bid < 0 ? undefined : bids[candidate.bid];
  const perClick = lineItem.budgetType === 'CPC';
  const ad: ServedAd = {
    tokenId: newId(),
    publisherId: request.publisher.id,
    campaignId: lineItem.campaignId,
    lineItemId: lineItem.id,
    creativeId: creative.id,
    placementId: imp.placementId,
    priceMicros: perClick ? (lineItem.cpcMicros ?? 0) : priceMicros,
    perClick,
    tokenExpS,
    holdEndMs,
    day,
    userHash: lineItem.frequencyCap ? request.userHash : null,
    billingNotice: typeof bid?.billingNoticeUrl === 'string',
  };
  return { candidate, bid, ad };
};
