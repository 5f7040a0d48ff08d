import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { countBy, countByTwo } from './count-by.ts';

/** The label sets of bidders, from the folder that defines them. */
export interface BidderLabels {
  /** Names of the outcomes of bidder calls and bids. */
  readonly bidOutcomes: readonly string[];
  /** Win, billing and loss notices. */
  readonly noticeKinds: readonly string[];
  readonly noticeOutcomes: readonly string[];
  /** In the order of the gauge's values: 0, 1, 2. */
  readonly circuitStates: readonly string[];
  readonly bidderSteps: readonly string[];
  /** Those of `bidderSteps` that belong to an impression. */
  readonly impressionSteps: readonly string[];
}

/** Deals, and placements, with a series each: the first ones that a replica meets. Others count together. */
const MAX_NAMES = 200;
const OTHER = 'other';

/** Each function is one increment: none throws or waits. */
export const createBidderMetrics = (registry: Registry, labels: BidderLabels) => {
  const { bidOutcomes, noticeKinds, noticeOutcomes, circuitStates, bidderSteps, impressionSteps } = labels;
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[]): Counter =>
    new Counter({ name: `adserver_${name}`, help, labelNames, registers });
  const calls = countBy(counter('bidder_calls_total', 'Bidder calls by outcome', ['outcome']), 'outcome', bidOutcomes);
  const callTime = new Histogram({
    name: 'adserver_bidder_call_duration_seconds',
    help: 'Time until a bidder answered or its call was abandoned',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1],
    registers,
  });
  const circuits = new Gauge({
    name: 'adserver_bidder_circuit',
    help: 'Circuit breaker of a bidder endpoint: 0 closed, 1 half open, 2 open',
    labelNames: ['bidder'],
    registers,
  });
  const knownBidders = new Set<string>();
  const askedShares = new Gauge({
    name: 'adserver_bidder_asked_ratio',
    help: 'Part of its calls that a bidder gets: less than 1 when it often runs out of time',
    labelNames: ['bidder'],
    registers,
  });
  const steps = counter('bidder_steps_total', 'What became of the impressions that a bidder was offered', ['bidder', 'step']);
  return {
    /** One per bidder call; `bid`: one per bid in a response. */
    bidderCall: (outcome: string, seconds: number): void => {
      calls(outcome);
      callTime.observe(seconds);
    },
    bid: countBy(counter('bids_total', 'Bids by outcome', ['outcome']), 'outcome', bidOutcomes),
    /** One of `circuitStates`; null: the bidder's endpoint was evicted, its series are dropped. */
    bidderCircuit: (bidder: string, state: string | null): void => {
      if (state !== null) {
        circuits.set({ bidder }, circuitStates.indexOf(state));
        if (!knownBidders.has(bidder)) for (const step of bidderSteps) steps.inc({ bidder, step }, 0);
        knownBidders.add(bidder);
        return;
      }
      knownBidders.delete(bidder);
      circuits.remove({ bidder });
      askedShares.remove({ bidder });
      for (const step of bidderSteps) steps.remove({ bidder, step });
    },
    /** Of bidders whose circuit has a state: how many, at one of `bidderSteps`; and the part of its calls that it gets. */
    bidderStep: (bidder: string, step: string, count: number): void => {
      if (knownBidders.has(bidder)) steps.inc({ bidder, step }, count);
    },
    bidderShare: (bidder: string, share: number): void => {
      if (knownBidders.has(bidder)) askedShares.set({ bidder }, share);
    },
    /** One more at one of `impressionSteps`. */
    dealStep: countByName(
      counter('deal_steps_total', 'What became of the impressions for which bids under a deal were asked', ['deal', 'step']),
      'deal',
      impressionSteps,
    ),
    placementStep: countByName(
      counter('placement_bid_steps_total', 'What became of the impressions of a placement that bidders were offered', [
        'placement',
        'step',
      ]),
      'placement',
      impressionSteps,
    ),
    bidderNotice: countByTwo(
      counter('bidder_notices_total', 'Win, loss and billing notices', ['kind', 'outcome']),
      ['kind', noticeKinds],
      ['outcome', noticeOutcomes],
    ),
  };
};

export type BidderMetrics = ReturnType<typeof createBidderMetrics>;

/** Names are the operator's, so their number is bounded here. */
const countByName = (counter: Counter, label: string, steps: readonly string[]): ((name: string, step: string) => void) => {
  const known = new Map<string, ReadonlyMap<string, Counter.Internal>>();
  const childrenOf = (name: string): ReadonlyMap<string, Counter.Internal> => {
    const children = new Map(steps.map((step) => [step, counter.labels({ [label]: name, step })]));
    for (const child of children.values()) child.inc(0);
    known.set(name, children);
    return children;
  };
  return (name, step) => {
    const shown = known.has(name) || known.size < MAX_NAMES ? name : OTHER;
    (known.get(shown) ?? childrenOf(shown)).get(step)?.inc();
  };
};
