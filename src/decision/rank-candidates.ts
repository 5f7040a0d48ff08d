import type { Candidate, CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import type { LineItem } from '../catalog/model/entities.ts';
import type { AdQuery, ImpQuery } from './ad-query.ts';
import { latestReason, NoBidReason } from './no-bid-reason.ts';
import { drawByWeight, shuffle } from './random-order.ts';
import { outranks, rankBids, type PricedBooking } from './rank-bids.ts';
import type { RankedCandidate } from './ranked-candidate.ts';
import type { IncompleteRoadblock, RoadblocksHere } from './roadblocks-here.ts';
import { drawVoice } from './share-of-voice.ts';
import { firstRefusal, RULES_IN_AUCTIONS, RULES_PER_CANDIDATE } from './rules.ts';

export interface RankingInput {
  /** Direct line items of the publisher and placement, in rank order; undefined: none. */
  readonly direct: CandidateIndex | undefined;
  readonly bids: readonly PricedBooking[];
  readonly query: AdQuery;
  readonly imp: ImpQuery;
  /**
   * Why the ledger recently refused the candidate, or 0. Advisory: a wrong 0 costs one refusal by
   * the ledger.
   */
  readonly exhausted: (position: number) => NoBidReason | 0;
  /**
   * Whether any direct line item could run here now, ignoring targeting. Called only when nothing
   * was served.
   */
  readonly runsHere: () => boolean;
  /** Whether one could at another hour. Called only when none could now. */
  readonly runsLater?: () => boolean;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** undefined: none is booked here. */
  readonly roadblocks?: RoadblocksHere | undefined;
  /**
   * The opportunity cost of a line item that yields to bidders, as a multiple of its eCPM; undefined: none
   * does. Called only where there is a bid.
   */
  readonly opportunityFactor?: ((lineItem: LineItem) => number) | undefined;
  /** The number in [0, 1) by which the request is given to a share of voice. */
  readonly voice?: () => number;
}

/** The candidates of one impression, best first, computed only as far as they are taken. */
export interface Ranking {
  /** The next best ones, at most `count`; empty at the end. */
  take(count: number): readonly RankedCandidate[];
  /** The latest reason among all candidates passed over so far. */
  passedOver(): NoBidReason;
  /** Candidates that could serve and whose share of voice left the request to others. */
  leftToOthers(): readonly Candidate[];
  /** Roadblocks that were passed over because the page does not show all of them. */
  readonly incomplete: readonly IncompleteRoadblock[];
  /** Line items that let a bid pass, and were not taken since. */
  letPass(): readonly RankedCandidate[];
}

const NO_POSITIONS: readonly number[] = [];
const NONE_INCOMPLETE: readonly IncompleteRoadblock[] = [];

/**
 * In a larger tie the candidates come from a window at a random place; up to this size all have the
 * same chance.
 */
const MAX_FAIR_TIE = 64;

/** So many line items let one bid pass; the next one keeps its place. */
const MAX_YIELDING = 16;

/**
 * Ranks by priority (1 first), then eCPM, then a fair random tie-break. The index has already
 * evaluated targeting. The other rules depend on the moment, the size or the user and are checked
 * candidate by candidate, so the work stops after the first `count` that pass.
 */
export const rankCandidates = ({
  direct,
  bids,
  query,
  imp,
  exhausted,
  runsHere,
  runsLater = () => false,
  random,
  roadblocks,
  voice = random,
  opportunityFactor,
}: RankingInput): Ranking => {
  const scanner = direct?.targeting.eligible(query.targeting);
  const priced = rankBids(bids, random);
  const rules = imp.terms ? RULES_IN_AUCTIONS : RULES_PER_CANDIDATE;
  let latest: NoBidReason = NoBidReason.NothingBooked;
  let ready: number[] = [];
  let readyAt = 0;
  let scanned = -1;
  let bidAt = 0;
  /** The bid that `passed` let pass. */
  let passedAt = 0;

  /** Positions with a share; those of the drawn one come first of all, and the others are left out. */
  let shared: Set<number> | undefined;
  let left: readonly number[] = NO_POSITIONS;
  let voicesLeft = 0;

  const passes = (position: number): boolean => {
    const candidate = (direct as CandidateIndex).at(position);
    const rule = firstRefusal(rules, candidate, query, imp);
    const reason = rule ? rule.reason : exhausted(position);
    if (reason === 0) return roadblocks === undefined || roadblocks.mayRank(candidate, position);
    latest = latestReason(latest, reason);
    return false;
  };

  /**
   * The members of the next tie group that pass, in random order. A group of one, the usual case,
   * costs one check.
   */
  const nextGroup = (): boolean => {
    if (!direct || !scanner) return false;
    for (let first = scanner.firstFrom(scanned + 1); first !== -1; first = scanner.firstFrom(scanned + 1)) {
      const end = direct.tieEnd[first]!;
      scanned = end - 1;
      ready = [];
      readyAt = 0;
      if (end === first + 1) {
        if (!shared?.has(first) && passes(first)) ready.push(first);
      } else {
        const from = first + Math.floor(random() * (end - first));
        const visit = (position: number): boolean => {
          if (!shared?.has(position) && passes(position)) ready.push(position);
          return ready.length < MAX_FAIR_TIE;
        };
        scanner.forEachEligible(from, end, visit);
        if (ready.length < MAX_FAIR_TIE) scanner.forEachEligible(first, from, visit);
        if (direct.weights) drawByWeight(ready, direct.weights, random);
        else shuffle(ready, random);
      }
      if (ready.length > 0) return true;
    }
    return false;
  };

  const peekDirect = (): Candidate | undefined =>
    readyAt < ready.length || nextGroup() ? (direct as CandidateIndex).at(ready[readyAt]!) : undefined;

  /** Line items that let a bid pass: they follow it. */
  let passed: RankedCandidate[] | undefined;

  /** A line item that ranks before a bid, or undefined: it lets the bid pass. */
  const keepsPlace = (held: Candidate, position: number, bid: RankedCandidate): RankedCandidate | undefined => {
    const factor = opportunityFactor!(held.lineItem);
    const opportunityMicros = factor === Infinity ? factor : Math.round(held.ecpmMicros * factor);
    const ranked = { ...rankAt(direct!, position, roadblocks), opportunityMicros };
    if (bid.ecpmMicros <= opportunityMicros || (passed?.length ?? 0) === MAX_YIELDING) return ranked;
    (passed ??= []).push(ranked);
    return undefined;
  };

  const takeOne = (): RankedCandidate | undefined => {
    if (voicesLeft > 0) {
      voicesLeft--;
      return rankAt(direct!, ready[readyAt++]!, roadblocks);
    }
    if (passed && bidAt > passedAt) {
      const next = passed.shift();
      if (next) return next;
      passed = undefined;
    }
    const bid = priced[bidAt];
    for (let held = peekDirect(); held && (!bid || outranks(held.lineItem, held.ecpmMicros, bid, random)); held = peekDirect()) {
      const position = ready[readyAt++]!;
      if (!bid || !opportunityFactor || !held.lineItem.sales.yields) return rankAt(direct!, position, roadblocks);
      passedAt = bidAt;
      const kept = keepsPlace(held, position, bid);
      if (kept) return kept;
    }
    if (bid) bidAt++;
    return bid;
  };

  if (direct?.voices) {
    const { voices } = direct;
    const isHeard = (position: number): boolean =>
      scanner!.firstFrom(position) === position &&
      firstRefusal(rules, direct.at(position), query, imp) === undefined &&
      (roadblocks === undefined || roadblocks.isWhole(direct.at(position), position));
    shared = new Set(voices.flatMap(({ positions }) => positions));
    const heard = voices.flatMap((one) => {
      const positions = one.positions.filter(isHeard);
      return positions.length > 0 ? [{ ...one, positions }] : [];
    });
    const drawn = heard.length === 0 ? undefined : drawVoice(heard, voice());
    left = heard.filter((one) => one !== drawn).flatMap(({ positions }) => positions);
    if (left.length > 0) latest = latestReason(latest, NoBidReason.ShareOfVoice);
    ready = drawn?.positions.filter(passes) ?? [];
    if (direct.weights) drawByWeight(ready, direct.weights, random);
    else shuffle(ready, random);
    voicesLeft = ready.length;
  }
  return {
    leftToOthers: () => left.map((position) => direct!.at(position)),
    incomplete: roadblocks?.incomplete ?? NONE_INCOMPLETE,
    letPass: () => passed ?? [],
    take: (count) => {
      const taken: RankedCandidate[] = [];
      for (let next = takeOne(); next; next = takeOne()) {
        taken.push(next);
        if (taken.length === count) break;
      }
      return taken;
    },
    passedOver: () => {
      // The index says which candidates match, not which do not: one that could run here was
      // refused for its targeting.
      if (!direct) return latest;
      if (roadblocks && roadblocks.incomplete.length > 0) latest = latestReason(latest, NoBidReason.RoadblockIncomplete);
      if (runsHere()) return latestReason(latest, NoBidReason.Targeting);
      return direct.targeting.hasSchedules && runsLater() ? latestReason(latest, NoBidReason.OffSchedule) : latest;
    },
  };
};

const rankAt = (direct: CandidateIndex, position: number, roadblocks: RoadblocksHere | undefined): RankedCandidate => {
  const ranked = rankDirect(direct.at(position), position);
  return roadblocks === undefined ? ranked : roadblocks.withBlock(ranked);
};

/** A direct candidate with what an impression of it costs. */
export const rankDirect = ({ creative, lineItem, campaign, ecpmMicros, clickRate, turn }: Candidate, position: number): RankedCandidate => {
  const { budgetType, cpmMicros, cpcvMicros } = lineItem;
  const priceMicros = budgetType === 'CPM' ? (cpmMicros ?? 0) / 1000 : budgetType === 'CPCV' ? (cpcvMicros ?? 0) : 0;
  const expectedMicros = budgetType === 'Flat' ? 0 : priceMicros || ecpmMicros / 1000;
  return { creative, lineItem, campaign, ecpmMicros, priceMicros, expectedMicros, clickRate, turn, position, bid: -1 };
};
