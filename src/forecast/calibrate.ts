import { NoBidReason } from '../decision/no-bid-reason.ts';
import type { RefusalReason } from '../serving/count-refusals.ts';
import { deliveryOf, type LimitedBy, type Supply } from './estimate.ts';

/** Times what the sample takes to be free for a line item, so that an estimate of it is what the replay has delivered. */
export interface SupplyLevels {
  /** As it is booked. */
  readonly asIs: number;
  /** Where it ranks above others: what the sample did not know of these does not matter any more. */
  readonly ranked: number;
}

export const AS_SAMPLED: SupplyLevels = { asIs: 1, ranked: 1 };

const MAX_LEVEL = 4;
const STEPS = 14;
/** Of what matches: where others take nearly all, nothing is known of what else keeps it from being shown. */
const LEAST_KNOWN = 0.02;
const LEAST_RATE = 0.01;

/** What is free, so many times. */
export const atLevel = (supply: Supply, level: number): Supply => ({
  ...supply,
  free: supply.free * level,
  byDay: supply.byDay.map((day) => ({ ...day, free: day.free * level })),
});

/** Why it would not be shown either if it ranked first. Limits and what the sample knows of are not among them. */
const KEPT: readonly RefusalReason[] = [
  ...[NoBidReason.Consent, NoBidReason.Unsuitable, NoBidReason.BelowFloor, NoBidReason.NotItsTurn, NoBidReason.RateLimit],
  ...[NoBidReason.RoadblockIncomplete, NoBidReason.DuplicateInPage, NoBidReason.CompetitorInPage, NoBidReason.BreakFull],
];

/**
 * @param delivered by the replay
 * @param refusals of the replay: where it was not shown
 */
export const calibrate = (
  supply: Supply,
  limits: LimitedBy,
  delivered: number,
  refusals: ReadonlyMap<RefusalReason, number>,
): SupplyLevels => {
  const at = (level: number): number => deliveryOf(atLevel(supply, level), limits).reduce((sum, count) => sum + count, 0);
  let [low, high] = [0, MAX_LEVEL];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (at(middle) < delivered) low = middle;
    else high = middle;
  }
  const asIs = high;
  const shown = delivered / Math.max(limits.renderRate, LEAST_RATE);
  const kept = KEPT.reduce<number>((sum, reason) => sum + (refusals.get(reason) ?? 0), 0);
  const part = shown + kept < LEAST_KNOWN * supply.available ? 1 : shown / (shown + kept);
  return { asIs, ranked: Math.min(Math.max(part, asIs), Math.max(asIs, 1)) };
};
