import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { NoBidReason } from '../decision/no-bid-reason.ts';
import { rankDirect } from '../decision/rank-candidates.ts';
import { refusalOfAll, ShownTogether } from '../decision/shown-together.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import { holdWeight } from '../ledger/client-rule.ts';
import type { Allowances } from '../ledger/allowances/allowances.ts';
import type { SharedRequest } from '../ledger/allowances/allowances-options.ts';
import { MAX_CANDIDATES_PER_CALL } from '../ledger/ledger.ts';
import { isUnbounded } from '../ledger/limits.ts';
import { winnerOf, type ReservedImp } from '../ledger/reservation.ts';
import type { AdRequest } from './ad-request.ts';
import { draftOf, type Draft, type Page } from './draft.ts';
import type { IndexMemories } from './index-memories.ts';
import { inPodOf } from './pod-share.ts';
import { offeredToLedger, type SessionCaps } from './session-caps.ts';
import type { DecidedOpportunity, RankedOpportunity, Steps } from './opportunity.ts';
import { win, type WinOptions } from './win.ts';

export interface ReserveWinnersOptions extends WinOptions, Pick<Steps, 'memories' | 'users' | 'clients'> {
  readonly reserve: Allowances['reserve'];
  /** undefined: every request needs a call. */
  readonly fromLots?: Allowances['fromLots'];
  readonly sessionCaps: SessionCaps;
}

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
export const createReserveWinners = (options: ReserveWinnersOptions) =>
  async function reserveWinners(
    snapshot: Snapshot,
    request: AdRequest,
    opportunities: readonly RankedOpportunity[],
  ): Promise<readonly DecidedOpportunity[]> {
    const drafts = opportunities.map(draftOf);
    const shown = new ShownTogether();
    const { client, publisher, query } = request;
    const isFree =
      client === undefined ||
      options.freeHolds.allows(publisher.id, client, drafts.length * holdWeight(request.maxHoldMs ?? Infinity), query.atMs);
    const page: Page = { request, shown, drafts, isFree, sessionCaps: options.sessionCaps, rebuilding: undefined };
    // Their impressions keep their positions.
    const hasRoadblocks = opportunities.some(({ slot }) => slot.direct?.roadblocks !== undefined);
    const mayBeKept = hasRoadblocks && request.pagePlacements.length > 0;
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
      placementIds: mayBeKept ? drafts.map(({ imp }) => imp.placementId) : undefined,
      // Caps that this replica keeps are not those of the line item, and only Redis knows what else a page shows.
      isShared: !request.traced && request.sessionUser === null && request.pageView === undefined,
      imps: offers.map(({ candidates }) => offeredToLedger(request, candidates)),
    });
    let isAsked = false;
    let isFirst = !request.traced && options.fromLots !== undefined;
    for (let count = request.traced ? MAX_OFFER : FIRST_OFFER; ; count = Math.min(count * LATER_OFFER_FACTOR, MAX_OFFER)) {
      const perImp = Math.min(count, Math.ceil(MAX_CANDIDATES_PER_CALL / open.length));
      let offers: readonly Offer[] = (hasRoadblocks ? drafts : open).map((draft) => ({
        draft,
        candidates: nextOffer(draft, isFirst ? 1 : perImp, page),
      }));
      if (!hasRoadblocks) offers = offers.filter(hasCandidates);
      // An ad that is kept for the page is not among the candidates.
      if (!offers.some(hasCandidates) && (!mayBeKept || isAsked)) break;
      isAsked = true;
      let reserving = isFirst ? options.fromLots?.(asked(offers)) : undefined;
      if (isFirst && !reserving) offers = offers.map((offer) => withMore(offer, perImp - 1, page));
      isFirst = false;
      reserving ??= options.reserve(asked(offers));
      const reservation = await reserving;
      for (const [i, offer] of offers.entries()) {
        const reserved = reservation.imps[i]!;
        const winner = noteAnswer(options, page, offer, reserved) ?? keptAd(offer.draft, reserved);
        if (!winner || !reserved.moments) continue;
        offer.draft.won = win(options, page, offer.draft, winner, reserved.moments);
      }
      open = offers.map(({ draft }) => draft).filter(({ won }) => !won);
    }
    return drafts;
  };

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

/** The ad that the page view has kept, at the price of its hold; undefined: there is none, or it may not be shown any more. */
const keptAd = ({ slot: { direct } }: Draft, { kept }: ReservedImp): RankedCandidate | undefined => {
  const candidate = kept && direct?.find(kept.creativeId);
  return candidate && { ...rankDirect(candidate, NOT_RANKED), priceMicros: kept.priceMicros };
};

const NOT_RANKED = -1;

/** The next best candidates, at most `count`; empty only at the end of the ranking. */
const nextOffer = (draft: Draft, count: number, page: Page): readonly RankedCandidate[] => {
  if (draft.won) return NO_CANDIDATES;
  const mayRefuse = !page.shown.isEmpty || page.request.sessionUser !== null || page.rebuilding !== undefined;
  for (;;) {
    const next = draft.imp.terms?.pod ? takeNext(draft, count).map((candidate) => inPodOf(draft, candidate)) : takeNext(draft, count);
    draft.considered.push(...next);
    const offer = mayRefuse ? next.filter((candidate) => !refuse(draft, candidate, page)) : next;
    if (offer.length > 0 || next.length === 0) return draft.imp.terms?.pod ? offer.map((candidate) => withLeft(candidate, page)) : offer;
  }
};

/** With what is left of its pod. */
const withLeft = (candidate: RankedCandidate, { shown }: Page): RankedCandidate => {
  const { inPod } = candidate;
  return inPod ? { ...candidate, inPod: { ...inPod, leftMs: shown.leftOf(inPod.id, inPod.leftMs) } } : candidate;
};

/** Of a sequence only one creative may be taken, so that more are offered with it. */
const takeNext = ({ ranking }: Draft, count: number): readonly RankedCandidate[] => {
  const next = ranking?.take(count) ?? NO_CANDIDATES;
  const inSequence = next.filter(({ turn }) => turn !== undefined).length;
  return inSequence === 0 ? next : [...next, ...ranking!.take(inSequence)];
};

const NO_CANDIDATES: readonly RankedCandidate[] = [];

/** Of a campaign whose accounts are missing, each line item that counts something would be refused: that needs no call. */
const isRebuilding = ({ rebuilding }: Page, { lineItem, campaign }: RankedCandidate): boolean =>
  rebuilding !== undefined && rebuilding.has(campaign.id) && !isUnbounded(lineItem, campaign);

const refuse = (draft: Draft, candidate: RankedCandidate, page: Page): boolean => {
  const { request, shown, drafts, sessionCaps } = page;
  const isCut = candidate.block?.bound.some(({ imp }) => drafts[imp]?.won) ?? false;
  const isFull = (): boolean => request.sessionUser !== null && sessionCaps.isFull(request.sessionUser, candidate, request.query.atMs);
  const own = isRebuilding(page, candidate) ? NoBidReason.BooksRebuilding : undefined;
  const reason = isCut
    ? NoBidReason.RoadblockIncomplete
    : (own ?? refusalOfAll(shown, candidate) ?? (isFull() ? NoBidReason.FrequencyCapped : undefined));
  if (reason !== undefined) noteRefusal(page, draft, candidate, reason);
  return reason !== undefined;
};

/** In all impressions of its roadblock. */
const noteRefusal = ({ drafts }: Page, draft: Draft, candidate: RankedCandidate, reason: NoBidReason): void => {
  draft.refused.push({ candidate, reason });
  for (const ad of candidate.block?.bound ?? []) drafts[ad.imp]?.refused.push({ candidate: ad.candidate, reason });
};

/** Records which candidates the ledger refused, and returns the one that it reserved. */
const noteAnswer = (
  { memories, users, clients }: ReserveWinnersOptions,
  page: Page,
  { draft, candidates }: Offer,
  reserved: ReservedImp,
): RankedCandidate | undefined => {
  const { request } = page;
  reserved.refused.forEach((reason, i) => {
    noteRefusal(page, draft, candidates[i]!, reason);
    if (reason === NoBidReason.BooksRebuilding) (page.rebuilding ??= new Set()).add(candidates[i]!.campaign.id);
    remember(memories, request, draft, candidates[i]!, reason);
    if (reason === NoBidReason.FrequencyCapped && request.userHash !== null)
      users.remember(request.userHash, candidates[i]!.lineItem.id, request.query.atMs);
    if (reason === NoBidReason.HoldsNotEarned && request.client !== undefined)
      clients.remember(request.client, candidates[i]!.lineItem.id, request.query.atMs);
  });
  return winnerOf(candidates, reserved);
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
