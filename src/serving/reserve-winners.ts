import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { NoBidReason } from '../decision/no-bid-reason.ts';
import { ShownTogether } from '../decision/shown-together.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { ServedAd, SpendLimits } from '../ledger/hit.ts';
import type { RefusalMemory } from '../ledger/exhausted-memory.ts';
import { countedOf } from '../ledger/frequency-counters.ts';
import { holdWeight } from '../ledger/client-rule.ts';
import type { FreeHolds } from '../ledger/free-holds.ts';
import type { Allowances } from '../ledger/allowances/allowances.ts';
import type { SharedRequest } from '../ledger/allowances/allowances-options.ts';
import { MAX_CANDIDATES_PER_CALL } from '../ledger/ledger.ts';
import { billsOnOf, isUnbounded, laterPriceMicros, limitsOf } from '../ledger/limits.ts';
import type { ReservationMoments, ReservedImp } from '../ledger/reservation.ts';
import type { AdRequest } from './ad-request.ts';
import type { IndexMemories } from './index-memories.ts';
import { offeredToLedger, type SessionCaps } from './session-caps.ts';
import type { ShownSizes } from './shown-sizes.ts';
import type { DecidedOpportunity, RankedOpportunity, RefusedCandidate, Won } from './opportunity.ts';

export interface ReserveWinnersOptions {
  readonly reserve: Allowances['reserve'];
  /** undefined: every request needs a call. */
  readonly fromLots?: Allowances['fromLots'];
  readonly newId: () => string;
  readonly sessionCaps: SessionCaps;
  readonly freeHolds: FreeHolds;
  readonly shownSizes: ShownSizes;
  readonly memories: IndexMemories;
  readonly users: RefusalMemory;
  readonly clients: RefusalMemory;
}

export type ReserveWinners = (
  snapshot: Snapshot,
  request: AdRequest,
  opportunities: readonly RankedOpportunity[],
) => Promise<readonly DecidedOpportunity[]>;

/**
 * Most ads are handed out from a lot of their first candidate, and others are not ranked: each takes
 * about a microsecond. Else one call usually decides. When the ledger refuses all offered candidates, the next call offers
 * more, so that a long row of exhausted line items costs few calls. The benchmark's catalog refuses
 * one candidate in 25 ads: first offers of four and of eight both take 1.000 calls per ad, and
 * every offered candidate has to be ranked, encoded, sent and decoded.
 */
const FIRST_OFFER = 4;
const LATER_OFFER_FACTOR = 4;
const MAX_OFFER = 512;

/**
 * For each impression, the ledger reserves the first ranked candidate that is under all its limits.
 */
export const createReserveWinners = (options: ReserveWinnersOptions): ReserveWinners =>
  async function reserveWinners(snapshot, request, opportunities) {
    const drafts = opportunities.map(draftOf);
    const shown = new ShownTogether();
    const { client, publisher, query } = request;
    const isFree =
      client === undefined ||
      options.freeHolds.allows(publisher.id, client, drafts.length * holdWeight(request.maxHoldMs ?? Infinity), query.atMs);
    const page: Page = { request, shown, isFree, sessionCaps: options.sessionCaps };
    let open = drafts.filter(({ ranking }) => ranking);
    // A trace shows the whole ranking.
    const asked = (offers: readonly Offer[]): SharedRequest => ({
      publisherId: publisher.id,
      userHash: request.userHash,
      client: isFree ? undefined : client,
      curve: snapshot.curveAt(publisher.id, query.atMs),
      siblingsOf: (campaignId) => snapshot.siblingsOf(campaignId, query.atMs),
      expiresAtMs: snapshot.expiresAtMs(publisher.id),
      maxHoldMs: request.maxHoldMs,
      pageView: request.pageView,
      // Caps that this replica keeps are not those of the line item, and only Redis knows what else a page shows.
      isShared: !request.traced && request.sessionUser === null && request.pageView === undefined,
      imps: offers.map(({ candidates }) => offeredToLedger(request, candidates)),
    });
    let isFirst = !request.traced && options.fromLots !== undefined;
    for (let count = request.traced ? MAX_OFFER : FIRST_OFFER; ; count = Math.min(count * LATER_OFFER_FACTOR, MAX_OFFER)) {
      const perImp = Math.min(count, Math.ceil(MAX_CANDIDATES_PER_CALL / open.length));
      let offers: readonly Offer[] = open
        .map((draft) => ({ draft, candidates: nextOffer(draft, isFirst ? 1 : perImp, page) }))
        .filter(hasCandidates);
      if (offers.length === 0) break;
      let reserving = isFirst ? options.fromLots?.(asked(offers)) : undefined;
      if (isFirst && !reserving) offers = offers.map((offer) => withMore(offer, perImp - 1, page));
      isFirst = false;
      reserving ??= options.reserve(asked(offers));
      const reservation = await reserving;
      for (const [i, offer] of offers.entries()) {
        const reserved = reservation.imps[i]!;
        const winner = noteAnswer(options, request, offer, reserved);
        if (!winner || !reserved.moments) continue;
        offer.draft.won = win(options, page, offer.draft, winner, reserved.moments);
      }
      open = offers.map(({ draft }) => draft).filter(({ won }) => !won);
    }
    return drafts;
  };

/** An impression while it is being decided. */
interface Draft extends DecidedOpportunity {
  readonly considered: RankedCandidate[];
  readonly refused: RefusedCandidate[];
  won: Won | undefined;
}

const draftOf = ({ imp, query, placement, slot, invited, inviting, bids, bidRefusals, ranking }: RankedOpportunity): Draft => ({
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

/** The candidates of one impression that are offered to the ledger in one call, in rank order. */
interface Offer {
  readonly draft: Draft;
  readonly candidates: readonly RankedCandidate[];
}

/** The first candidate of each impression was not enough. */
const withMore = ({ draft, candidates }: Offer, count: number, page: Page): Offer => ({
  draft,
  candidates: [...candidates, ...nextOffer(draft, count, page)],
});

const hasCandidates = ({ candidates }: Offer): boolean => candidates.length > 0;

/** What refuses a candidate before it is offered: the answer so far, and the caps kept in memory. */
interface Page {
  readonly request: AdRequest;
  /** The ads that this answer has already. */
  readonly shown: ShownTogether;
  /** The client may hold what it gets without the ledger counting it. */
  readonly isFree: boolean;
  readonly sessionCaps: SessionCaps;
}

/** The next best candidates, at most `count`; empty only at the end of the ranking. */
const nextOffer = (draft: Draft, count: number, page: Page): readonly RankedCandidate[] => {
  const mayRefuse = !page.shown.isEmpty || page.request.sessionUser !== null;
  for (;;) {
    const next = draft.ranking?.take(count) ?? [];
    draft.considered.push(...next);
    const offer = mayRefuse ? next.filter((candidate) => !refuse(draft, candidate, page)) : next;
    if (offer.length > 0 || next.length === 0) return offer;
  }
};

const refuse = (draft: Draft, candidate: RankedCandidate, { request, shown, sessionCaps }: Page): boolean => {
  const isFull = (): boolean => request.sessionUser !== null && sessionCaps.isFull(request.sessionUser, candidate, request.query.atMs);
  const reason = shown.refusalOf(candidate) ?? (isFull() ? NoBidReason.FrequencyCapped : undefined);
  if (reason !== undefined) draft.refused.push({ candidate, reason });
  return reason !== undefined;
};

/** Records which candidates the ledger refused, and returns the one that it reserved. */
const noteAnswer = (
  { memories, users, clients }: ReserveWinnersOptions,
  request: AdRequest,
  { draft, candidates }: Offer,
  { winner, refused }: ReservedImp,
): RankedCandidate | undefined => {
  refused.forEach((reason, i) => {
    draft.refused.push({ candidate: candidates[i]!, reason });
    remember(memories, request, draft, candidates[i]!, reason);
    if (reason === NoBidReason.FrequencyCapped && request.userHash !== null)
      users.remember(request.userHash, candidates[i]!.lineItem.id, request.query.atMs);
    if (reason === NoBidReason.HoldsNotEarned && request.client !== undefined)
      clients.remember(request.client, candidates[i]!.lineItem.id, request.query.atMs);
  });
  return candidates[winner];
};

/**
 * Records refusals, so that the next requests offer other candidates first and skip bidders whose
 * line items cannot serve.
 */
const remember = (
  memories: IndexMemories,
  { query }: AdRequest,
  { slot, invited }: RankedOpportunity,
  candidate: RankedCandidate,
  reason: NoBidReason,
): void => {
  const isBid = candidate.bid >= 0;
  const index = isBid ? slot.programmatic : slot.direct;
  const position = isBid ? invited.find(({ creative }) => creative.id === candidate.creative.id)?.position : candidate.position;
  if (index && position !== undefined) memories(index).exhausted.remember(position, reason, query.atMs);
};

/** Notes that the answer shows the candidate, and returns the ad that its token will carry. */
const win = (
  { newId, freeHolds, shownSizes }: ReserveWinnersOptions,
  { request, shown, isFree, sessionCaps }: Page,
  { imp, bids, placement }: Draft,
  candidate: RankedCandidate,
  { tokenExpS, holdEndMs, day }: ReservationMoments,
): Won => {
  const { lineItem, creative, priceMicros } = candidate;
  shown.add(candidate);
  if (request.sessionUser !== null) sessionCaps.take(request.sessionUser, candidate, request.query.atMs);
  const bid = candidate.bid < 0 ? undefined : bids[candidate.bid];
  const laterMicros = laterPriceMicros(lineItem);
  const counted = countedOf(candidate);
  const client = request.client === undefined || isUnbounded(lineItem, candidate.campaign) ? undefined : request.client;
  if (client !== undefined && isFree) freeHolds.hold(request.publisher.id, client, holdEndMs - request.query.atMs, request.query.atMs);
  const ad: ServedAd = {
    tokenId: newId(),
    publisherId: request.publisher.id,
    campaignId: lineItem.campaignId,
    lineItemId: lineItem.id,
    creativeId: creative.id,
    placementId: imp.placementId,
    size: placement && shownSizes({ publisherId: request.publisher.id, creative, bid, imp, placement }),
    priceMicros: laterMicros ?? priceMicros,
    billsOn: billsOnOf(lineItem),
    tokenExpS,
    holdEndMs,
    day,
    servedAtMs: request.query.atMs,
    userHash: counted ? request.userHash : null,
    billingNotice: typeof bid?.billingNoticeUrl === 'string',
    spendBounds: laterMicros === undefined ? undefined : spendBoundsOf(candidate),
    // Without a user nothing takes a place in Redis.
    counted: request.userHash === null ? undefined : counted,
    unmeasured: request.consent.measure === null ? undefined : true,
    client,
    isFree: client !== undefined && isFree ? true : undefined,
    seal: request.seal,
  };
  return { candidate, bid, ad };
};

/** undefined: the line item has no limit of spend, and its token does not grow. */
const spendBoundsOf = ({ lineItem, campaign }: RankedCandidate): SpendLimits | undefined => {
  const { dailySpendMicros, budgetMicros, campaignBudgetMicros, campaignDailyMicros } = limitsOf(lineItem, campaign);
  const bounds = { dailySpendMicros, budgetMicros, campaignBudgetMicros, campaignDailyMicros };
  return Object.values(bounds).some((bound) => bound !== null) ? bounds : undefined;
};
