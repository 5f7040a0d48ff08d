import type { Snapshot } from '../catalog/snapshot.ts';
import { isUnbounded } from '../decision/is-unbounded.ts';
import { NoBidReason } from '../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { ServedAd } from '../delivery/hit.ts';
import { accountsExpireAtMs } from '../delivery/accounts-expire-at-ms.ts';
import type { Ledger } from '../delivery/ledger.ts';
import type { Reservation } from '../delivery/reservation.ts';
import type { TrafficCurve } from '../delivery/traffic-curve.ts';
import type { AdRequest } from './ad-request.ts';
import { exhaustedMemoryOf } from './exhausted-memory-of.ts';
import type { Opportunity } from './opportunity.ts';

export interface ReserveWinnersOptions {
  readonly ledger: Ledger;
  readonly tokenTtlMs: number;
  readonly curveOf: (snapshot: Snapshot, publisherId: number, atMs: number) => TrafficCurve;
  readonly newId: () => string;
}

export type ReserveWinners = (request: AdRequest, snapshot: Snapshot, opportunities: readonly Opportunity[]) => Promise<void>;

/** One call is the rule. When all that it offered are refused, the next offers more, so that a long row of spent line items costs few calls. */
const FIRST_OFFER = 8;
const LATER_OFFER_FACTOR = 4;
const LARGEST_OFFER = 512;

/** Lets the ledger take, for each impression, the first ranked candidate that is under all its limits. */
export const createReserveWinners = (options: ReserveWinnersOptions): ReserveWinners => {
  const { ledger, curveOf } = options;

  return async (request, snapshot, opportunities) => {
    const shown = new Set<number>();
    let open = opportunities.filter(({ ranking }) => ranking);
    for (let most = FIRST_OFFER; open.length > 0; most = Math.min(most * LATER_OFFER_FACTOR, LARGEST_OFFER)) {
      const offers = open.map((opportunity) => offerOf(opportunity, most, shown));
      open = open.filter((_, i) => (offers[i] as readonly RankedCandidate[]).length > 0);
      const imps = offers.filter(({ length }) => length > 0);
      if (open.length === 0) return;
      const reservation = await ledger.reserve({
        publisherId: request.publisher.id,
        userHash: request.userHash,
        curve: curveOf(snapshot, request.publisher.id, request.query.atMs),
        expiresAtMs: accountsExpireAtMs(snapshot, request.publisher.id),
        imps,
      });
      if (!reservation) return serveUncounted(options, request, open, shown);
      open.forEach((opportunity, i) =>
        book(options, request, snapshot, opportunity, imps[i] as readonly RankedCandidate[], reservation, i, shown),
      );
      open = open.filter(({ won }) => !won);
    }
  };
};

const offerOf = (opportunity: Opportunity, most: number, shown: ReadonlySet<number>): readonly RankedCandidate[] => {
  const offer = opportunity.ranking?.take(most) ?? [];
  opportunity.considered.push(...offer);
  if (shown.size === 0) return offer;
  for (const candidate of offer)
    if (shown.has(candidate.creative.id)) opportunity.refused.push({ candidate, nbr: NoBidReason.DuplicateInPage });
  return offer.filter(({ creative }) => !shown.has(creative.id));
};

const book = (
  options: ReserveWinnersOptions,
  request: AdRequest,
  snapshot: Snapshot,
  opportunity: Opportunity,
  offer: readonly RankedCandidate[],
  reservation: Reservation,
  imp: number,
  shown: Set<number>,
): void => {
  const { winner, refused } = reservation.imps[imp] as Reservation['imps'][number];
  refused.forEach((nbr, i) => {
    const candidate = offer[i] as RankedCandidate;
    opportunity.refused.push({ candidate, nbr });
    remember(snapshot, request, opportunity, candidate, nbr);
  });
  const candidate = offer[winner];
  if (!candidate) return;
  shown.add(candidate.creative.id);
  const { tokenExpS, holdEndMs, day } = reservation;
  opportunity.won = win(options, request, opportunity, candidate, { tokenExpS, holdEndMs, day });
};

/** So that the next requests ask about others first, and bidders whose line items cannot serve are not asked at all. */
const remember = (
  snapshot: Snapshot,
  request: AdRequest,
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
const serveUncounted = (options: ReserveWinnersOptions, request: AdRequest, open: readonly Opportunity[], shown: Set<number>): void => {
  const { atMs } = request.query;
  const moments = { tokenExpS: Math.ceil((atMs + options.tokenTtlMs) / 1000), holdEndMs: 0, day: Math.floor(atMs / 86_400_000) };
  for (const opportunity of open) {
    // Whoever was offered last has no answer yet: look at them again, then at the rest of the ranking.
    const answered = new Set(opportunity.refused.map(({ candidate }) => candidate));
    const waiting = opportunity.considered.filter((candidate) => !answered.has(candidate));
    for (
      let offer: readonly RankedCandidate[] = waiting;
      offer.length > 0 && !opportunity.won;
      offer = opportunity.ranking?.take(LARGEST_OFFER) ?? []
    ) {
      if (offer !== waiting) opportunity.considered.push(...offer);
      for (const candidate of offer) {
        if (shown.has(candidate.creative.id)) opportunity.refused.push({ candidate, nbr: NoBidReason.DuplicateInPage });
        else if (!isUnbounded(candidate.lineItem, candidate.campaign))
          opportunity.refused.push({ candidate, nbr: NoBidReason.CountersUnavailable });
        else {
          shown.add(candidate.creative.id);
          opportunity.won = win(options, request, opportunity, candidate, moments);
          break;
        }
      }
    }
  }
};

/** What a candidate has won: the ad that its token will name. */
export const win = (
  { newId }: Pick<ReserveWinnersOptions, 'newId'>,
  request: AdRequest,
  { imp, bids }: Opportunity,
  candidate: RankedCandidate,
  moments: Pick<ServedAd, 'tokenExpS' | 'holdEndMs' | 'day'>,
): NonNullable<Opportunity['won']> => {
  const perClick = candidate.lineItem.budgetType === 'CPC';
  return {
    candidate,
    bid: bids[candidate.bid],
    ad: {
      tokenId: newId(),
      publisherId: request.publisher.id,
      campaignId: candidate.lineItem.campaignId,
      lineItemId: candidate.lineItem.id,
      creativeId: candidate.creative.id,
      placementId: imp.placementId,
      priceMicros: perClick ? (candidate.lineItem.cpcMicros ?? 0) : candidate.priceMicros,
      perClick,
      ...moments,
      userHash: candidate.lineItem.frequencyCap ? request.userHash : null,
    },
  };
};
