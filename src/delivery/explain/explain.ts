import type { Creative, LineItem } from '../../catalog/model/entities.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { NoBidReason, STAGES } from '../../decision/no-bid-reason.ts';
import { rankDirect } from '../../decision/rank-candidates.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { RoadblocksHere } from '../../decision/roadblocks-here.ts';
import { traceRules } from '../../decision/trace.ts';
import type { JudgeLimits } from '../../ledger/read/dry-ledger.ts';
import type { AdRequest, RequestedImp } from '../../serving/ad-request.ts';
import { createRefusalMemory } from '../../ledger/exhausted-memory.ts';
import { createIndexMemories } from '../../serving/index-memories.ts';
import { offeredToLedger } from '../../serving/session-caps.ts';
import { roadblocksOf } from '../../serving/page-roadblocks.ts';
import { openOpportunity, rankOpportunity, type Opportunity, type Steps } from '../../serving/opportunity.ts';
import { bookingOf } from '../../serving/trace-opportunity.ts';
import { placementWords } from '../loaded-line-item.ts';
import { explainRank, MAX_RANKED } from './explain-rank.ts';
import { OUTCOMES, stopped, type CreativeExplanation, type Explanation } from './explanation.ts';

/** The inputs of one explanation. */
interface Question {
  readonly snapshot: Snapshot;
  readonly request: AdRequest;
  readonly judgeLimits: JudgeLimits;
}

/** Ties are shown as ties, so the order contains no randomness. */
const NO_CHANCE = (): number => 0;

/**
 * Why a line item would or would not fill a request: the steps of the decision, without reserving,
 * counting or calling a bidder. undefined: the snapshot does not contain the line item.
 */
export const createExplain =
  (judgeLimits: JudgeLimits) =>
  async (snapshot: Snapshot, asked: AdRequest, lineItemId: number): Promise<Explanation | undefined> => {
    const lineItem = snapshot.lineItems.get(lineItemId);
    if (!lineItem) return undefined;
    const request: AdRequest = { ...asked, traced: true };
    const own = snapshot.creativesOf(lineItemId);
    const creatives = await explainCreatives({ snapshot, request, judgeLimits }, lineItem, own);
    const [best] = creatives.toSorted(bestFirst);
    const { bidContext, query } = request;
    return {
      request_id: request.id,
      line_item_id: lineItemId,
      at: new Date(query.atMs).toISOString(),
      snapshot_version: snapshot.version,
      context: { country: bidContext.country, device: bidContext.device, may_remember_user: request.consent.remember === null },
      outcome: best?.outcome ?? 'stopped',
      summary: best
        ? `${best.outcome === 'stopped' ? `stopped at ${best.stage}: ` : ''}${best.detail}`
        : 'stopped at booked: it has no creative',
      creatives,
    };
  };

const explainCreatives = async (
  question: Question,
  lineItem: LineItem,
  own: readonly Creative[],
): Promise<readonly CreativeExplanation[]> => {
  const { request } = question;
  const notBooked = (creatives: readonly Creative[], words: (creative: Creative) => string) =>
    creatives.map((creative) => stopped(creative, null, 'booked', NoBidReason.NothingBooked, words(creative)));
  if (lineItem.publisherId !== request.publisher.id)
    return notBooked(own, () => `it belongs to publisher ${lineItem.publisherId}, the request to publisher ${request.publisher.id}`);

  const requested = new Set(request.imps.map(({ placementId }) => placementId));
  const elsewhere = own.filter(({ placementIds }) => !placementIds.some((id) => requested.has(id)));
  const steps = { memories: createIndexMemories(), users: createRefusalMemory(), clients: createRefusalMemory(), random: NO_CHANCE };
  const opened = request.imps.map((imp) => openOpportunity(question.snapshot, request, imp, steps));
  const roadblocks = roadblocksOf(question.snapshot, request, opened, NO_CHANCE);
  const here = await Promise.all(
    request.imps.map((imp, i) =>
      explainImp(
        question,
        { imp, steps, opportunity: opened[i]!, roadblocks: roadblocks?.at(i) },
        own.filter(({ placementIds }) => placementIds.includes(imp.placementId)),
      ),
    ),
  );
  return [
    ...withTheirRoadblock(here.flat()),
    ...notBooked(elsewhere, ({ placementIds }) => `it is on ${placementWords(placementIds)}, which the request does not name`),
  ];
};

/** An impression of the request, opened. */
interface Asked {
  readonly imp: RequestedImp;
  readonly steps: Steps;
  readonly opportunity: Opportunity;
  readonly roadblocks: RoadblocksHere | undefined;
}

const explainImp = async (
  { snapshot, request, judgeLimits }: Question,
  { imp, steps, opportunity, roadblocks }: Asked,
  own: readonly Creative[],
): Promise<readonly (CreativeExplanation | Bound)[]> => {
  if (own.length === 0) return [];
  if (!opportunity.placement) {
    const detail = `placement ${imp.placementId} does not exist, or belongs to another publisher`;
    return own.map((creative) => stopped(creative, imp.impId, 'placement', NoBidReason.UnknownPlacement, detail));
  }
  const booked = own.flatMap(({ id }) => bookingOf(opportunity.slot, id) ?? []);
  const traced = traceRules(booked, opportunity.query, opportunity.imp);
  const { ranking } = rankOpportunity(opportunity, undefined, request, steps, NO_CHANCE, roadblocks);
  const ranked = ranking?.take(MAX_RANKED) ?? [];
  const unheard = new Map(ranking?.leftToOthers().map(({ creative, lineItem }) => [creative.id, lineItem.sales.shareOfVoice]));
  const bidding = (traced.at(-1)?.passed ?? []).filter(({ lineItem }) => lineItem.type === 'programmatic');
  const judged = await judgeLimits({
    publisherId: request.publisher.id,
    userHash: request.userHash,
    curve: snapshot.curveAt(request.publisher.id, request.query.atMs),
    candidates: offeredToLedger(request, [
      ...ranked,
      ...bidding.map((booking) => {
        const clickRate = opportunity.slot.programmatic?.priceOf(booking.creative.id)?.clickRate ?? 0;
        return withoutPrice(rankDirect({ ...booking, ecpmMicros: 0, clickRate }, -1));
      }),
    ]),
  });
  return own.map((creative) => {
    for (const { stage, refused } of traced) {
      const refusal = refused.find(({ booking }) => booking.creative.id === creative.id);
      if (refusal) return stopped(creative, imp.impId, stage, refusal.reason, refusal.detail);
    }
    const share = unheard.get(creative.id);
    // The draw of a request is not known before it comes.
    if (share !== undefined)
      return stopped(
        creative,
        imp.impId,
        'limits',
        NoBidReason.ShareOfVoice,
        `its share of voice is ${share}%: it gets this part of such requests, and others the rest`,
      );
    const cut = ranking?.incomplete.find(({ candidate }) => candidate.creative.id === creative.id);
    if (cut) return stopped(creative, imp.impId, 'page', NoBidReason.RoadblockIncomplete, cut.detail);
    const isRanked = ranked.some((one) => one.creative.id === creative.id);
    const isOfRoadblock = booked.some((one) => one.creative.id === creative.id && roadblocks?.isApart(one));
    if (isOfRoadblock && !isRanked) return { creativeId: creative.id, impId: imp.impId };
    return explainRank(creative, imp.impId, judged, opportunity.invited.length > 0);
  });
};

/** A creative of a roadblock that is ranked by another one. */
interface Bound {
  readonly creativeId: number;
  readonly impId: string;
}

const isBound = (one: CreativeExplanation | Bound): one is Bound => 'creativeId' in one;

/** What becomes of a roadblock becomes of all its creatives. */
const withTheirRoadblock = (explained: readonly (CreativeExplanation | Bound)[]): readonly CreativeExplanation[] => {
  const all = explained.filter((one): one is CreativeExplanation => !isBound(one));
  const first = all.find(({ stage }) => stage === 'limits' || stage === 'ranking');
  return explained.flatMap((one) => {
    if (!isBound(one)) return [one];
    if (!first) return [];
    const detail = `with creative ${first.creative_id} of its roadblock, in impression ${first.impid}: ${first.detail}`;
    return [{ ...first, creative_id: one.creativeId, impid: one.impId, detail }];
  });
};

/** A programmatic candidate before its bid: its limits can be checked, its price is unknown. */
const withoutPrice = (candidate: RankedCandidate): RankedCandidate => ({ ...candidate, priceMicros: 0, expectedMicros: 0 });

/** By outcome, then by the stage reached. */
const bestFirst = (a: CreativeExplanation, b: CreativeExplanation): number =>
  OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome) || orderOf(b.stage) - orderOf(a.stage);

const orderOf = (stage: CreativeExplanation['stage']): number => (stage === 'ranking' ? STAGES.length : STAGES.indexOf(stage));
