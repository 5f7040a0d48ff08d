import type { Candidate, CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import { latestReason, NoBidReason } from '../decision/no-bid-reason.ts';
import { firstRefusal, RULES_IN_AUCTIONS, RULES_OF_PLACE, RULES_PER_CANDIDATE } from '../decision/rules.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { AdRequest } from './ad-request.ts';
import { refusedLately, type DecidedOpportunity, type Steps } from './opportunity.ts';
import { createSampler } from './sampler.ts';

/** A line item could run, and another one was shown. */
export const OUTRANKED = 0;
/** Why a line item was not shown in an impression of a placement that it is booked on. */
export type RefusalReason = NoBidReason | typeof OUTRANKED;

export interface RefusalSink {
  /** @param outrankedBy the line item that was shown; 0: the reason is another */
  add(atMs: number, lineItemId: number, reason: RefusalReason, outrankedBy: number, impressions: number): void;
}

/**
 * Candidates examined each second, at up to 1 µs each: 0.4 % of a core. A replica whose placements
 * have 20 candidates each counts exactly up to 200 requests a second, and samples above.
 */
const EXAMINED_PER_SECOND = 4_000;
/** Of one list of candidates. A longer one is examined in a part, from a random position. */
const MAX_EXAMINED = 256;

/**
 * Counts why line items were not shown, one reason for each line item of an impression. The ranking
 * stops at the first candidates that pass, so it does not know about those below, nor does the
 * targeting index about those that do not match: some impressions are examined whole instead, after
 * they have been decided, and stand for the others.
 *
 * A line item with several creatives in one place is counted for the one that came closest. Outside
 * its flight and its hours it is not counted.
 */
export const createCountRefusals = (steps: Steps, sink: RefusalSink) => {
  const sampler = createSampler(EXAMINED_PER_SECOND, steps.random);
  /** By line item, of one list at a time. */
  const reasons = new Map<number, RefusalReason>();

  const examine = (request: AdRequest, opportunity: DecidedOpportunity, index: CandidateIndex, weight: number): void => {
    const { imp, query, won } = opportunity;
    const count = Math.min(index.size, MAX_EXAMINED);
    const first = count < index.size ? Math.floor(steps.random() * index.size) : 0;
    const rules = imp.terms ? RULES_IN_AUCTIONS : RULES_PER_CANDIDATE;
    const scanner = index.targeting.eligible(query.targeting);
    const reasonAtLimits = limitsOf(request, opportunity, index, steps);
    const shownId = won?.candidate.lineItem.id ?? 0;
    let eligible = scanner.firstFrom(first);
    reasons.clear();
    for (let i = 0; i < count; i++) {
      const position = (first + i) % index.size;
      if (position === 0) eligible = scanner.firstFrom(0);
      const isTargeted = position === eligible;
      if (isTargeted) eligible = scanner.firstFrom(position + 1);
      const candidate = index.peek(position);
      const { id } = candidate.lineItem;
      if (id === shownId) continue;
      const reason =
        firstRefusal(RULES_OF_PLACE, candidate, query, imp)?.reason ??
        (isTargeted ? firstRefusal(rules, candidate, query, imp)?.reason : NoBidReason.Targeting) ??
        reasonAtLimits(candidate, position);
      if (reason === undefined || reason === NoBidReason.NotInFlight || reason === NoBidReason.OffSchedule) continue;
      const known = reasons.get(id);
      reasons.set(id, known === undefined ? reason : later(known, reason));
    }
    // A fraction is rounded at random, so that sums are right.
    const impressions = Math.floor((weight * index.size) / count + (count < index.size ? steps.random() : 0));
    for (const [id, reason] of reasons) sink.add(query.atMs, id, reason, reason === OUTRANKED ? shownId : 0, impressions);
    sampler.spend(count);
  };

  return function countRefusals(request: AdRequest, decided: readonly DecidedOpportunity[]): void {
    for (const opportunity of decided) {
      const weight = sampler.draw(request.query.atMs);
      if (weight === 0 || !opportunity.placement) continue;
      const { direct, programmatic } = opportunity.slot;
      if (direct) examine(request, opportunity, direct, weight);
      if (programmatic) examine(request, opportunity, programmatic, weight);
    }
  };
};

const later = (a: RefusalReason, b: RefusalReason): RefusalReason => (a === OUTRANKED || b === OUTRANKED ? OUTRANKED : latestReason(a, b));

/**
 * Why a candidate that the rules pass was not shown: refused by the ledger or a bidder, now or a
 * moment ago, else outranked. The limits of those that rank below what was shown were not asked for.
 * undefined: it was neither refused nor offered, because too many were before it.
 */
const limitsOf = (
  request: AdRequest,
  { slot, invited, bids, bidRefusals, ranking, refused, won }: DecidedOpportunity,
  index: CandidateIndex,
  steps: Steps,
): ((candidate: Candidate, position: number) => RefusalReason | undefined) => {
  const lately = request.traced ? () => 0 as const : refusedLately(index, steps.memories(index), steps, request);
  const outranked = won ? OUTRANKED : undefined;
  const isDirect = index === slot.direct;
  const leftToOthers = new Set(isDirect ? ranking?.leftToOthers().map(({ lineItem }) => lineItem.id) : []);
  return ({ creative: { id }, lineItem, ecpmMicros }, position) => {
    if (leftToOthers.has(lineItem.id)) return NoBidReason.ShareOfVoice;
    for (const one of ranking?.incomplete ?? []) if (isDirect && one.candidate.creative.id === id) return NoBidReason.RoadblockIncomplete;
    for (const { candidate, reason } of refused) if (candidate.creative.id === id) return reason;
    if (isDirect) return won && isBelow(won.candidate, lineItem.priority, ecpmMicros) ? OUTRANKED : lately(position) || outranked;
    for (const { invitation, reason } of bidRefusals) if (invitation.creative.id === id) return reason;
    for (const { invitation } of bids) if (invitation.creative.id === id) return outranked;
    for (const { creative } of invited) if (creative.id === id) return NoBidReason.BiddersDidNotBid;
    return lately(position) || undefined;
  };
};

const isBelow = (shown: RankedCandidate, priority: number, ecpmMicros: number): boolean =>
  (priority - shown.lineItem.priority || shown.ecpmMicros - ecpmMicros) > 0;
