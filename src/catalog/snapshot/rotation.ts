import { groupBy } from '../../base/group-by.ts';
import type { CreativeCounts } from '../model/catalog-reading.ts';
import { clickRateOf } from './ecpm.ts';

export const NO_CREATIVE_COUNTS: CreativeCounts = { impressions: 0, clicks: 0 };

/** Creatives of one slot, which compete for the same ads. */
export interface Rotating {
  readonly lineItemIds: readonly number[];
  readonly weights: readonly number[];
  /** By position, where the rotation is optimised. */
  readonly counts: ReadonlyMap<number, CreativeCounts>;
}

/**
 * How the creatives of each line item share its impressions, in the given order; see
 * `CandidateIndex`. Empty when all of them are alike.
 */
export const rotationOf = (
  { lineItemIds, weights, counts }: Rotating,
  order: readonly number[],
): { readonly weights: Float64Array; readonly shares: Float64Array } => {
  if (counts.size === 0 && weights.every((weight) => weight === 1)) return { weights: new Float64Array(0), shares: new Float64Array(0) };
  const ofLineItem = groupBy([...lineItemIds.keys()], (at) => lineItemIds[at]!);
  const share = new Float64Array(lineItemIds.length);
  for (const own of ofLineItem.values()) {
    const learned = own.flatMap((at) => counts.get(at) ?? []);
    const shares = learned.length > 0 ? optimisedShares(learned) : weightedShares(own.map((at) => weights[at]!));
    own.forEach((at, i) => (share[at] = shares[i]!));
  }
  return {
    weights: Float64Array.from(order, (at) => share[at]! * ofLineItem.get(lineItemIds[at]!)!.length),
    shares: Float64Array.from(order, (at) => share[at]!),
  };
};

const weightedShares = (weights: readonly number[]): readonly number[] => {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

/** Draws of one line item: with 512, a share is right to about 2 points. */
const MAX_DRAWS = 512;
const MIN_DRAWS = 16;
/** Draws times creatives: 0.4 µs each. */
const MAX_SAMPLES = 4_096;
/** This part is divided equally, so that a creative that lost every draw is still measured. */
const EXPLORED_PART = 0.02;

/**
 * Thompson sampling: the share of each creative is how often it has the highest click-through rate
 * when the rates of all are drawn from what is known of them. Shares sum to 1.
 *
 * A creative's rate has a Beta distribution. Before it has any impressions, that has the mean of the
 * line item and the weight of one click: a new creative is tried as long as it may be the best.
 *
 * @param seed of the draws: the same counts and seed give the same shares
 */
export const optimisedShares = (creatives: readonly CreativeCounts[], seed = seedOf(creatives)): readonly number[] => {
  const rate = clickRateOf(creatives.reduce((sum, { impressions, clicks }) => added(sum, impressions, clicks), NO_CREATIVE_COUNTS));
  const posteriors = creatives.map(({ impressions, clicks }) => ({
    clicks: 1 + clicks,
    misses: Math.max(1, 1 / rate - 1 + impressions - clicks),
  }));
  const draws = Math.min(Math.max(Math.floor(MAX_SAMPLES / creatives.length), MIN_DRAWS), MAX_DRAWS);
  const random = uniform(seed);
  const won = creatives.map(() => 0);
  for (let draw = 0; draw < draws; draw++) {
    let [best, bestRate] = [0, -1];
    posteriors.forEach(({ clicks, misses }, i) => {
      const hit = gamma(clicks, random);
      const drawn = hit / (hit + gamma(misses, random));
      if (drawn > bestRate) [best, bestRate] = [i, drawn];
    });
    won[best]!++;
  }
  return won.map((times) => (1 - EXPLORED_PART) * (times / draws) + EXPLORED_PART / creatives.length);
};

const added = (sum: CreativeCounts, impressions: number, clicks: number): CreativeCounts => ({
  impressions: sum.impressions + impressions,
  clicks: sum.clicks + clicks,
});

/** Other counts, other draws. */
const seedOf = (creatives: readonly CreativeCounts[]): number =>
  creatives.reduce((seed, { impressions, clicks }) => (Math.imul(seed ^ impressions, 0x9e3779b1) ^ clicks) >>> 0, 0x2545f491);

/** Numbers in (0, 1): xorshift (Marsaglia, 2003). */
const uniform = (seed: number): (() => number) => {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 0.5) / 2 ** 32;
  };
};

const normal = (random: () => number): number => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());

/** A number of a gamma distribution with this shape, at least 1 (Marsaglia and Tsang, 2000). */
const gamma = (shape: number, random: () => number): number => {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(random()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
};
