/** Counts by day. */
type Series = (day: number) => number;

export interface NoiseOptions {
  /** The impressions of each placement. */
  readonly placements: readonly Series[];
  /** Of all of them. */
  readonly total: Series;
  readonly today: number;
  /** Whole weeks that are known. */
  readonly weeks: number;
}

/** How far traffic is from its shape. */
export interface TrafficNoise {
  /** Of a single day of the whole publisher: the standard deviation of its logarithm. */
  readonly ofDay: number;
  /** The variance of a count, as a multiple of the count: 1 where each impression comes by itself, more where they come in groups. */
  readonly ofCounts: number;
}

const WEEK = 7;
/** A page asks for several impressions, and a visitor for several pages. */
const USUAL_OF_COUNTS = 1.5;
const MAX_OF_COUNTS = 20;
/** The logarithm of fewer impressions says little. */
const MIN_IMPRESSIONS = 10;
/** Placements of two days from which on their differences are measured rather than assumed. */
const SURE_PAIRS = 100;
/** How much wider a tenth of Student's t distribution is than that of a normal one, times its degrees of freedom. */
const FEW = 0.75;

/**
 * Compares each day with that of the week before. What all placements have in common is the noise of days, once the growth of
 * the week is taken out; what they differ by beyond that is the noise of counts.
 */
export const trafficNoise = ({ placements, total, today, weeks }: NoiseOptions): TrafficNoise => {
  let [common, commonOf, own, ownOf] = [0, 0, 0, 0];
  for (let back = 1; back < weeks; back++) {
    const days = Array.from({ length: WEEK }, (_, i) => today - back * WEEK + i).filter((day) => total(day) > 0 && total(day - WEEK) > 0);
    const changes = days.map((day) => Math.log(total(day) / total(day - WEEK)));
    const mean = changes.reduce((sum, change) => sum + change, 0) / Math.max(changes.length, 1);
    for (const change of changes) common += (change - mean) ** 2;
    commonOf += Math.max(changes.length - 1, 0);
    for (const [i, day] of days.entries()) {
      for (const of of placements) {
        const [now, before] = [of(day), of(day - WEEK)];
        if (Math.min(now, before) < MIN_IMPRESSIONS) continue;
        own += (Math.log(now / before) - changes[i]!) ** 2 / (1 / now + 1 / before);
        ownOf++;
      }
    }
  }
  const ofCounts = Math.min(Math.max((own + USUAL_OF_COUNTS * SURE_PAIRS) / (ownOf + SURE_PAIRS), 1), MAX_OF_COUNTS);
  // Of a difference of two days, each has half.
  const ofDay = commonOf === 0 ? 0 : Math.sqrt(common / commonOf / 2) * (1 + FEW / commonOf);
  return { ofCounts, ofDay };
};
