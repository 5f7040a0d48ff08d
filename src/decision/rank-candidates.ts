import type { Candidate, CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import type { LineItem } from '../catalog/model/entities.ts';
import type { AdQuery, ImpQuery } from './ad-query.ts';
import { fitsSlot } from './fits-slot.ts';
import { isLive } from './is-live.ts';
import { latestReason, NoBidReason } from './no-bid-reason.ts';
import type { RankedCandidate } from './ranked-candidate.ts';
import { runsSomewhere } from './runs-somewhere.ts';

/** A programmatic candidate with the price that its bidder named, micros per thousand impressions. */
export interface PricedCandidate {
  readonly candidate: Omit<Candidate, 'ecpmMicros'>;
  readonly cpmMicros: number;
}

export interface RankingInput {
  /** Direct line items of the publisher and placement, in rank order; undefined: none. */
  readonly direct: CandidateIndex | undefined;
  readonly bids: readonly PricedCandidate[];
  readonly query: AdQuery;
  readonly imp: ImpQuery;
  /** What is known to be over a limit: the reason, or 0. Advisory; a wrong 0 costs a refusal by the ledger. */
  readonly exhausted: (position: number) => NoBidReason | 0;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/** The candidates of one impression, best first, found as far as they are asked for. */
export interface Ranking {
  /** The next best ones, at most `most`; empty at the end. */
  take(most: number): readonly RankedCandidate[];
  /** Of all that was passed over so far, the reason that stands latest on the road. */
  passedOver(): NoBidReason;
}

/** A tie of more than so many is drawn from a window at a random place; up to it every one has the same chance. */
const FAIR_TIE = 64;

/**
 * Ranks by priority (1 first), then eCPM, then a fair random tie. Targeting has been answered by the index; what depends on the moment, the
 * slot or the user is checked here, candidate by candidate, so that the work ends with the first that are wanted.
 */
export const rankCandidates = ({ direct, bids, query, imp, exhausted, random }: RankingInput): Ranking => {
  const scanner = direct?.targeting.eligible(query.targeting);
  const priced = rankBids(bids, random);
  let latest: NoBidReason = NoBidReason.NothingBooked;
  let ready: number[] = [];
  let readyAt = 0;
  let scanned = -1;
  let bidAt = 0;

  const passes = (position: number): boolean => {
    const { creative, lineItem, campaign } = (direct as CandidateIndex).entries[position]!;
    const reason = !fitsSlot(creative, imp.slot)
      ? NoBidReason.SizeOrFormat
      : !isLive(lineItem, campaign, query.atMs)
        ? NoBidReason.NotInFlight
        : lineItem.frequencyCap && !query.mayRemember
          ? NoBidReason.Consent
          : exhausted(position);
    if (reason === 0) return true;
    latest = latestReason(latest, reason);
    return false;
  };

  /** The next tie group's members, in random order; a group of one, which is the rule, costs no more than a look. */
  const nextGroup = (): boolean => {
    if (!direct || !scanner) return false;
    for (let first = scanner.firstFrom(scanned + 1); first !== -1; first = scanner.firstFrom(scanned + 1)) {
      const end = direct.tieEnd[first]!;
      scanned = end - 1;
      ready = [];
      readyAt = 0;
      if (end === first + 1) {
        if (passes(first)) ready.push(first);
      } else {
        const from = first + Math.floor(random() * (end - first));
        const visit = (position: number): boolean => {
          if (passes(position)) ready.push(position);
          return ready.length < FAIR_TIE;
        };
        scanner.forEachEligible(from, end, visit);
        if (ready.length < FAIR_TIE) scanner.forEachEligible(first, from, visit);
        shuffle(ready, random);
      }
      if (ready.length > 0) return true;
    }
    return false;
  };

  const peekDirect = (): Candidate | undefined =>
    readyAt < ready.length || nextGroup() ? (direct as CandidateIndex).entries[ready[readyAt]!] : undefined;

  const takeOne = (): RankedCandidate | undefined => {
    const bid = priced[bidAt];
    const held = peekDirect();
    if (held && (!bid || outranks(held.lineItem, held.ecpmMicros, bid, random))) {
      return rankDirect(held, ready[readyAt++]!);
    }
    if (bid) bidAt++;
    return bid;
  };

  return {
    take: (most) => {
      const taken: RankedCandidate[] = [];
      for (let next = takeOne(); next; next = takeOne()) {
        taken.push(next);
        if (taken.length === most) break;
      }
      return taken;
    },
    passedOver: () => {
      // The index says who is let through, not who was stopped: whoever could have run but for its targeting came further than these.
      return direct && runsSomewhere(direct, imp.slot, query.atMs) ? latestReason(latest, NoBidReason.Targeting) : latest;
    },
  };
};

/** A direct candidate with what an impression of it costs. */
export const rankDirect = ({ creative, lineItem, campaign, ecpmMicros }: Candidate, position: number): RankedCandidate => {
  const priceMicros = lineItem.budgetType === 'CPM' ? (lineItem.cpmMicros ?? 0) / 1000 : 0;
  const expectedMicros = lineItem.budgetType === 'Flat' ? 0 : priceMicros || ecpmMicros / 1000;
  return { creative, lineItem, campaign, ecpmMicros, priceMicros, expectedMicros, position, bid: -1 };
};

/** Billed in whole micros per impression, so a bid's finer fractions are rounded to the nearest. */
const rankBids = (bids: readonly PricedCandidate[], random: () => number): readonly RankedCandidate[] => {
  const ranked = bids.map(({ candidate: { creative, lineItem, campaign }, cpmMicros }, bid): RankedCandidate => {
    const priceMicros = Math.round(cpmMicros / 1000);
    return { creative, lineItem, campaign, ecpmMicros: cpmMicros, priceMicros, expectedMicros: priceMicros, position: -1, bid };
  });
  if (ranked.length < 2) return ranked;
  shuffle(ranked, random);
  return ranked.sort((a, b) => a.lineItem.priority - b.lineItem.priority || b.ecpmMicros - a.ecpmMicros);
};

const outranks = (lineItem: LineItem, ecpmMicros: number, bid: RankedCandidate, random: () => number): boolean => {
  const difference = lineItem.priority - bid.lineItem.priority || bid.ecpmMicros - ecpmMicros;
  return difference < 0 || (difference === 0 && random() < 0.5);
};

/** Fisher–Yates, in place. */
const shuffle = <T>(items: T[], random: () => number): void => {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
};
