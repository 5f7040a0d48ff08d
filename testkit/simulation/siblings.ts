import type { Pacing } from '../../src/catalog/model/choices.ts';
import { shareAt } from './measure.ts';
import { simulateDay, type DayOptions } from './simulate-day.ts';
import { simulatedCampaign, simulatedCandidate } from './simulated-booking.ts';
import { dailyCurve } from './traffic.ts';
import { MINUTES_PER_DAY } from '../../src/base/utc-day.ts';

/** A line item of a campaign with a budget for the day. */
export interface Sibling {
  readonly pacing: Pacing;
  /** Requests of the day that can show it. */
  readonly requests: number;
  /** USD; default 1. */
  readonly cpm?: number;
  readonly dailyImpressionCap?: number;
  /** The hours of the day in which it is booked and active; default: all. */
  readonly hours?: readonly (readonly [from: number, to: number])[];
}

export interface SiblingScenario {
  readonly name: string;
  readonly budgetUsd: number;
  readonly siblings: readonly Sibling[];
}

/** The spend of one sibling in micros, and the part that is fair. */
export interface SiblingFigures {
  readonly label: string;
  readonly spent: number;
  readonly fair: number;
}

export interface ScenarioFigures {
  readonly name: string;
  readonly siblings: readonly SiblingFigures[];
  /** Spent ÷ deliverable. */
  readonly delivered: number;
  /** The least that a sibling spent as a part of what is fair. */
  readonly leastOfFair: number;
  /** Micros above the budget. */
  readonly overspent: number;
}

const MICROS = 1_000_000;
/** What siblings are promised, as parts of the deliverable and of what is fair. */
export const MIN_DELIVERED = 0.98;
export const MIN_OF_FAIR = 0.9;

/** Unequal traffic, edits at noon, own caps, prices, and ASAP beside Even. */
export const SIBLING_SCENARIOS: readonly SiblingScenario[] = [
  { name: 'traffic 100:1', budgetUsd: 2, siblings: [even(50_000), even(500)] },
  {
    name: 'five, traffic from 300 to 50,000',
    budgetUsd: 4,
    siblings: [50_000, 15_000, 5_000, 1_500, 300].map((requests) => even(requests)),
  },
  { name: 'one added at noon', budgetUsd: 2, siblings: [even(30_000), even(10_000, { hours: [[12, 24]] })] },
  {
    name: 'one stops at noon, one starts',
    budgetUsd: 2,
    siblings: [even(20_000, { hours: [[0, 12]] }), even(20_000, { hours: [[12, 24]] })],
  },
  {
    name: 'one resumed at noon',
    budgetUsd: 2,
    siblings: [
      even(30_000),
      even(10_000, {
        hours: [
          [0, 4],
          [12, 24],
        ],
      }),
    ],
  },
  { name: 'one paused at noon', budgetUsd: 2, siblings: [even(30_000), even(10_000, { hours: [[0, 12]] })] },
  { name: 'own cap below its part', budgetUsd: 2, siblings: [even(30_000), even(10_000, { dailyImpressionCap: 300 })] },
  { name: 'CPM 1 and 20', budgetUsd: 4, siblings: [even(30_000), even(10_000, { cpm: 20 })] },
  { name: 'PID, traffic 10:1', budgetUsd: 2, siblings: [even(30_000, { pacing: 'PID' }), even(3_000, { pacing: 'PID' })] },
  { name: 'a busy ASAP beside an Even', budgetUsd: 1, siblings: [even(40_000, { pacing: 'ASAP' }), even(4_000)] },
  { name: 'a busy ASAP beside an Even of few requests', budgetUsd: 4, siblings: [even(40_000, { pacing: 'ASAP' }), even(720)] },
];

function even(requests: number, changes: Partial<Sibling> = {}): Sibling {
  return { pacing: 'Even', requests, ...changes };
}

const isLive = ({ hours }: Sibling, minute: number): boolean =>
  hours === undefined || hours.some(([from, to]) => minute >= from * 60 && minute < to * 60);

/** Divides `amount` so that each gets the same, but none more than it can use. */
const divide = (amount: number, uses: readonly number[]): readonly number[] => {
  const parts = uses.map(() => 0);
  const byUse = uses.map((_, i) => i).sort((a, b) => uses[a]! - uses[b]!);
  let left = amount;
  byUse.forEach((i, done) => {
    parts[i] = Math.min(uses[i]!, left / (uses.length - done));
    left -= parts[i];
  });
  return parts;
};

/**
 * What is fair, in micros: minute by minute, what the even spread of the rest of the budget gives
 * is divided equally among the siblings that can use it. Beside an ASAP sibling: the whole budget,
 * equally.
 * @param demand what each sibling would spend if all its requests were served, in micros
 */
const fairParts = ({ budgetUsd, siblings }: SiblingScenario, demand: readonly number[]): readonly number[] => {
  const curve = dailyCurve();
  const capOf = ({ dailyImpressionCap = Infinity, cpm = 1 }: Sibling): number => dailyImpressionCap * cpm * 1000;
  if (siblings.some(({ pacing }) => pacing === 'ASAP')) {
    return divide(
      budgetUsd * MICROS,
      siblings.map((sibling, i) => Math.min(demand[i]!, capOf(sibling))),
    );
  }
  const liveShare = siblings.map(() => 0);
  const minutes = Array.from({ length: MINUTES_PER_DAY }, (_, minute) => {
    const share = shareAt(curve, minute + 1) - shareAt(curve, minute);
    const live = siblings.map((sibling) => isLive(sibling, minute));
    live.forEach((is, i) => (liveShare[i]! += is ? share : 0));
    return { share, ofRest: share / (1 - shareAt(curve, minute)), live };
  });
  const got = siblings.map(() => 0);
  for (const { share, ofRest, live } of minutes) {
    const left = budgetUsd * MICROS - got.reduce((sum, micros) => sum + micros, 0);
    const uses = siblings.map((sibling, i) =>
      live[i] ? Math.min((demand[i]! * share) / liveShare[i]!, (capOf(sibling) - got[i]!) * ofRest) : 0,
    );
    divide(left * ofRest, uses).forEach((micros, i) => (got[i]! += micros));
  }
  return got;
};

type SiblingOptions = Pick<DayOptions, 'redisUrl' | 'seed' | 'pid' | 'tokenTtlMs' | 'clockSkewsMs' | 'stepMs' | 'renderRate'>;

/** Simulates a day of a scenario and compares what each sibling spent with what is fair. */
export const simulateSiblings = async (scenario: SiblingScenario, options: SiblingOptions): Promise<ScenarioFigures> => {
  const { name, budgetUsd, siblings } = scenario;
  const curve = dailyCurve();
  const campaign = simulatedCampaign(budgetUsd * MICROS);
  const labels = siblings.map(({ pacing, requests, cpm }, i) => `${i + 1} ${pacing} ${requests}${cpm ? ` CPM ${cpm}` : ''}`);
  const streams = siblings.map((sibling, i) => {
    const { pacing, requests, cpm = 1, dailyImpressionCap = null } = sibling;
    const item = { id: i + 1, name: labels[i]!, pacing, cpmMicros: cpm * MICROS, dailyImpressionCap };
    return { requests, candidates: [simulatedCandidate(item, campaign)], isLive: (minute: number) => isLive(sibling, minute) };
  });
  const noSurge = { surge: { fromMinute: 0, toMinute: 0 }, surgeFactor: 1, unrest: 0, outage: undefined };
  const day = await simulateDay({ ...options, ...noSurge, streams, curve, learned: curve });
  const fair = fairParts(
    scenario,
    siblings.map(({ cpm = 1 }, i) => (day.requestsOfStream[i] ?? 0) * options.renderRate * cpm * 1000),
  );
  const figures = siblings.map(({ cpm = 1 }, i) => ({
    label: labels[i]!,
    spent: (day.delivered.get(labels[i]!) ?? 0) * cpm * 1000,
    fair: fair[i]!,
  }));
  const sum = (of: (figure: SiblingFigures) => number): number => figures.reduce((total, figure) => total + of(figure), 0);
  return {
    name,
    siblings: figures,
    delivered: sum(({ spent }) => spent) / sum(({ fair: part }) => part),
    leastOfFair: Math.min(...figures.map(({ spent, fair: part }) => spent / part)),
    overspent: Math.max(0, sum(({ spent }) => spent) - budgetUsd * MICROS),
  };
};
