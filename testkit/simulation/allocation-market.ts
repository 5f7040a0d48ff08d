import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { NO_SALES_RULES } from '../../src/catalog/model/entities.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import type { Chance } from '../chance.ts';
import { simulateAllocation, type Allocated } from './simulate-allocation.ts';
import { DAY_START_MS, simulatedCandidate } from './simulated-booking.ts';
import { dailyCurve } from './traffic.ts';

export interface Market {
  readonly redisUrl: string;
  readonly seed: number;
  readonly days: number;
  /** Of a day. */
  readonly requests: number;
  readonly stepMs: number;
}

/** Guaranteed line items: their parts of all requests, CPMs in USD and pacing. Together 45 % of what renders. */
const GUARANTEED = [
  { name: 'Even, 15 % of requests', part: 0.15, cpm: 4, pacing: 'Even' },
  { name: 'PID, 20 % of requests', part: 0.2, cpm: 3, pacing: 'PID' },
  { name: 'Even, 10 % of requests', part: 0.1, cpm: 6, pacing: 'Even' },
] as const;
const RENDER_RATE = 0.9;
const FLOOR_MICROS = 500_000;

/** Nine requests in ten have a bid: lognormal about 2 USD, above a floor of 0.50. */
const bidOf = (chance: Chance): number | undefined => {
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  const micros = Math.round(2e6 * Math.exp(0.7 * normal));
  return chance() < 0.9 && micros >= FLOOR_MICROS ? micros : undefined;
};

/** The same requests and bids, with or without dynamic allocation. */
export const simulateMarket = async (
  yields: boolean,
  { redisUrl, seed, days, requests, stepMs }: Market,
): Promise<Allocated & { readonly goals: ReadonlyMap<string, number> }> => {
  const flight = { startMs: DAY_START_MS, endMs: DAY_START_MS + days * MS_PER_DAY };
  const goalOf = (part: number): number => Math.round(part * requests * days * RENDER_RATE);
  const direct = GUARANTEED.map(({ name, part, cpm, pacing }, i): RankedCandidate =>
    simulatedCandidate({
      ...{ id: i + 1, name, pacing, flight, class: 'standard', priority: 1, cpmMicros: cpm * 1e6 },
      goals: { impressions: goalOf(part), clicks: null, frontload: 0 },
      sales: { ...NO_SALES_RULES, yields },
    }),
  );
  const programmatic = simulatedCandidate({ id: 9, name: 'bidder', pacing: 'ASAP', type: 'programmatic', priority: 2, flight });
  const allocated = await simulateAllocation({
    ...{ redisUrl, seed, days, requests, stepMs, direct, programmatic, bidOf, renderRate: RENDER_RATE },
    curve: dailyCurve(),
  });
  return { ...allocated, goals: new Map(GUARANTEED.map(({ name, part }) => [name, goalOf(part)])) };
};
