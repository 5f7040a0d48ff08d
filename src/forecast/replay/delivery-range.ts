/** What is delivered with a chance of 10, 50 and 90 per cent at most. */
export interface Range {
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
}

/** What is known of a delivery that is expected. */
export interface ExpectedDelivery {
  readonly middle: number;
  /** What is delivered with so much less and so much more traffic that the logarithm of it differs by `deviation`. */
  readonly others: readonly [less: number, more: number];
  readonly deviation: number;
  /** Impressions that it is delivered from. */
  readonly supply: number;
  /** How far the level of traffic may be off: the standard deviation of its logarithm. */
  readonly spread: number;
  /** The variance of a count that is compared with one that was sampled, as a multiple of the count. */
  readonly countNoise: number;
  /** By how much ranges were too narrow until now. */
  readonly widening: number;
}

/** Of a normal distribution, 10 per cent are below and above. */
export const TENTH = 1.2816;
/** No forecast is nearer. */
const LEAST = 0.005;
/** How far the response to traffic is carried on, as a multiple of the deviation that was replayed. */
const MAX_CARRIED = 2.5;

/**
 * The range of a delivery. Two things move it. Its supply may be more or less than expected, by the level of traffic and by the
 * chance of counts; how it responds to that is what the replays with more and less traffic say: not at all where a goal binds it,
 * and by a multiple where it takes what others leave. And which impressions of the supply it gets is chance.
 */
export const deliveryRange = (expected: ExpectedDelivery): Range => {
  const { middle, others, deviation, supply, spread, countNoise, widening } = expected;
  const ofSupply = Math.hypot(spread, Math.sqrt(countNoise / Math.max(supply, 1)));
  const part = Math.min((TENTH * ofSupply) / deviation, MAX_CARRIED);
  const ends = others.map((other) => middle + (other - middle) * part);
  const below = middle - Math.min(middle, ...ends);
  const above = Math.max(middle, ...ends) - middle;
  const response = Math.abs(others[1] - others[0]) / (2 * deviation * Math.max(middle, 1));
  // Where it takes what others leave, all of the supply's chance is in it already.
  const apart = 1 - Math.min((response * middle) / Math.max(supply, 1), 1);
  const chosen = Math.min(response, 1) * apart * countNoise * middle;
  const chance = TENTH * Math.sqrt(chosen + (LEAST * middle) ** 2);
  return {
    p10: Math.max(Math.round(middle - widening * Math.hypot(below, chance)), 0),
    p50: Math.round(middle),
    p90: Math.round(middle + widening * Math.hypot(above, chance)),
  };
};

/** The range of impressions that pages ask for on a day. */
export const countRange = (middle: number, noise: Pick<ExpectedDelivery, 'spread' | 'countNoise' | 'widening'>): Range => {
  const off = noise.widening * TENTH * Math.hypot(noise.spread * middle, Math.sqrt(noise.countNoise * middle));
  return { p10: Math.max(Math.round(middle - off), 0), p50: Math.round(middle), p90: Math.round(middle + off) };
};
