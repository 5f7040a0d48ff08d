import { under } from '../../base/under.ts';
import { trafficNoise } from './traffic-noise.ts';

/** Impressions that pages asked for, by placement and day of the publisher. */
export type TrafficHistory = ReadonlyMap<string, ReadonlyMap<number, number>>;

export interface PlanOptions {
  readonly history: TrafficHistory;
  /** The day of the publisher in which the forecast is made; it has not ended. */
  readonly today: number;
  /** How many days are planned, today among them. */
  readonly days: number;
  /** Placements without history, each with the one whose traffic it is expected to have. */
  readonly models?: ReadonlyMap<string, string>;
  /** What an event of a past day multiplied its traffic by, by placement and day. 1: none. */
  readonly eventFactor?: (placement: string, day: number) => number;
}

const WEEK = 7;
/** Weeks that are looked at; the traffic of a year ago is looked at besides. */
const MAX_WEEKS = 8;
/** Of a week against the one after it. */
const DECAY = 0.5;
/** A trend fades: of each week's growth, so much is left a week later. */
const FADING = 0.9;
const MAX_GROWTH = 0.2;
/** The weekly growth of sites: the standard deviation of what is known of them before their traffic is. */
const USUAL_GROWTH = 0.02;
/** A placement with fewer impressions a week has mostly the growth of its publisher. */
const SURE_IMPRESSIONS = 20_000;
/** The level of traffic is never known better. */
const MIN_SPREAD = 0.01;
/** Of weeks that weigh as DECAY says: how far their mean is off, as a part of one, and how old it is, in weeks. */
const LEVEL_NOISE = 0.75;
const LEVEL_AGE = 0.8;
/** Of a single week, nothing is known about weeks. */
const SPREAD_OF_ONE_WEEK = 0.12;
const SPREAD_OF_DAYS = 0.3;
/** A year is 52 weeks, so that Mondays are compared with Mondays. */
const YEAR = 52 * WEEK;
/** How much of last year's difference is expected again. */
const YEAR_PART = 0.5;
const MAX_YEAR_FACTOR = 3;

/**
 * The traffic that is expected, by weekday: the last weeks, of which the latest weigh most, carried on by their trend, and changed as days like it were
 * last year where these are kept. Hours are those of the sample, which is replayed day by day.
 */
export const planTraffic = ({ history, today, days, models = new Map(), eventFactor = () => 1 }: PlanOptions) => {
  const seriesOf = (placement: string): ReadonlyMap<number, number> =>
    history.get(models.get(placement) ?? placement) ?? new Map<number, number>();
  const all = summed([...history.values()]);
  const first = Math.min(...[...all.keys()].filter((day) => day < today && day >= today - MAX_WEEKS * WEEK), today);
  const knownDays = today - first;
  const weeks = Math.floor(knownDays / WEEK);
  const own =
    (placement: string) =>
    (day: number): number =>
      (seriesOf(placement).get(day) ?? 0) / eventFactor(placement, day);
  const whole = (day: number): number => [...history.keys()].reduce((sum, placement) => sum + own(placement)(day), 0);
  const totals = new Map(Array.from({ length: knownDays }, (_, i) => [first + i, whole(first + i)]));
  const { growth: seenGrowth, noise } = growthOf((day) => totals.get(day) ?? 0, today, weeks);
  const { ofDay, ofCounts } = trafficNoise({
    placements: [...history.keys()].map(own),
    total: (day) => totals.get(day) ?? 0,
    ...{ today, weeks },
  });
  // Of two weeks each is on its trend: how far they are off is known from their days.
  const ofWeek = Math.max(noise * Math.sqrt(weeks / Math.max(weeks - 2, 1)), ofDay / Math.sqrt(WEEK));
  const ofSeenGrowth = ofWeek * Math.sqrt(12 / Math.max(weeks ** 3 - weeks, 1));
  // Of a site whose weeks differ much, a growth that was seen is mostly chance.
  const believed = USUAL_GROWTH ** 2 / (USUAL_GROWTH ** 2 + ofSeenGrowth ** 2);
  const growth = believed * seenGrowth;
  const ofGrowth = Math.sqrt(believed) * ofSeenGrowth;

  const growthAt = (placement: string): number => {
    const of = own(placement);
    const sure = weekSum(of, today, 1) / SURE_IMPRESSIONS;
    const part = Math.min(sure / (1 + sure), 1);
    return part * believed * growthOf(of, today, weeks).growth + (1 - part) * growth;
  };
  const known = new Map<string, (day: number) => number>();
  const make = (placement: string): ((day: number) => number) => {
    const of = own(placement);
    const perWeek = growthAt(placement);
    return (day) => expectedOn(of, day, { today, first, weeks, growth: perWeek }) * yearFactor(seriesOf(placement), day, today);
  };
  return {
    /** Impressions of a placement on a day, without events to come. */
    expected: (placement: string, day: number): number => under(known, placement, make)(day),
    /** How far the level of a day that is so many days ahead may be off: the standard deviation of its logarithm. */
    spread: (daysAhead: number): number => {
      if (weeks < 2) return (weeks === 1 ? SPREAD_OF_ONE_WEEK : SPREAD_OF_DAYS) * Math.sqrt(1 + daysAhead / WEEK);
      // Of the level, of the week to come, and of a growth that is carried on.
      return Math.hypot(MIN_SPREAD, ofWeek * LEVEL_NOISE, ofWeek, ofGrowth * (daysAhead / WEEK + LEVEL_AGE));
    },
    /** How far a single day is off its week: as `spread`. */
    dayNoise: ofDay,
    /** The variance of a count of impressions, as a multiple of the count. */
    countNoise: ofCounts,
    /** By how much traffic grows each week: 0.02 is 2 per cent. */
    weeklyGrowth: growth,
    /** undefined: it is long enough. */
    warning:
      knownDays >= 2 * WEEK
        ? undefined
        : `Traffic is known for ${knownDays} days only, of which ${days} are forecast: there is no trend yet, and the range is wide`,
  };
};

interface Level {
  readonly today: number;
  readonly first: number;
  readonly weeks: number;
  readonly growth: number;
}

/** The same weekday of the weeks before, each grown to the day, weighted by how late it is. */
const expectedOn = (of: (day: number) => number, day: number, { today, first, weeks, growth }: Level): number => {
  if (weeks === 0) {
    const known = Math.max(today - first, 1);
    return Array.from({ length: known }, (_, i) => of(today - 1 - i)).reduce((sum, count) => sum + count, 0) / known;
  }
  let [sum, weights] = [0, 0];
  for (
    let back = Math.max(Math.ceil((day - today + 1) / WEEK), 1), weight = 1;
    day - back * WEEK >= today - weeks * WEEK;
    back++, weight *= DECAY
  ) {
    const past = day - back * WEEK;
    sum += weight * of(past) * Math.exp(growth * fadedWeeks(past, day, today));
    weights += weight;
  }
  return weights === 0 ? 0 : sum / weights;
};

/** Weeks of growth between a day and a later one: whole until today, then fading. */
const fadedWeeks = (from: number, to: number, today: number): number => {
  const past = Math.min(to, today) - from;
  const ahead = Math.max(to - today, 0) / WEEK;
  return past / WEEK + (1 - FADING ** ahead) / -Math.log(FADING);
};

const weekSum = (of: (day: number) => number, today: number, back: number): number =>
  Array.from({ length: WEEK }, (_, i) => of(today - back * WEEK + i)).reduce((sum, count) => sum + count, 0);

/** The growth of whole weeks by least squares of their logarithms, and how far they are from that line. */
const growthOf = (of: (day: number) => number, today: number, weeks: number): { growth: number; noise: number } => {
  const points = Array.from({ length: weeks }, (_, i) => ({ x: -i, sum: weekSum(of, today, i + 1) })).filter(({ sum }) => sum > 0);
  if (points.length < 2) return { growth: 0, noise: 0 };
  const weighed = points.map(({ x, sum }) => ({ x, y: Math.log(sum), w: DECAY ** -(x / 2) }));
  const total = weighed.reduce((sum, { w }) => sum + w, 0);
  const meanX = weighed.reduce((sum, { x, w }) => sum + w * x, 0) / total;
  const meanY = weighed.reduce((sum, { y, w }) => sum + w * y, 0) / total;
  const slope =
    weighed.reduce((sum, { x, y, w }) => sum + w * (x - meanX) * (y - meanY), 0) /
    weighed.reduce((sum, { x, w }) => sum + w * (x - meanX) ** 2, 0);
  const rest = weighed.reduce((sum, { x, y, w }) => sum + w * (y - meanY - slope * (x - meanX)) ** 2, 0) / total;
  return { growth: Math.max(-MAX_GROWTH, Math.min(slope, MAX_GROWTH)), noise: Math.sqrt(rest) };
};

/** How much a day of last year differed from the weeks before it, where they are kept. */
const yearFactor = (series: ReadonlyMap<number, number>, day: number, today: number): number => {
  const like = series.get(day - YEAR);
  const before = Array.from({ length: 4 }, (_, i) => series.get(lastKnownWeekday(day, today) - YEAR - i * WEEK)).filter(
    (count) => count !== undefined,
  );
  if (like === undefined || before.length < 4) return 1;
  const mean = before.reduce((sum, count) => sum + count, 0) / before.length;
  if (mean === 0) return 1;
  return Math.min(Math.max(like / mean, 1 / MAX_YEAR_FACTOR), MAX_YEAR_FACTOR) ** YEAR_PART;
};

const lastKnownWeekday = (day: number, today: number): number => day - Math.ceil((day - today + 1) / WEEK) * WEEK;

const summed = (series: readonly ReadonlyMap<number, number>[]): ReadonlyMap<number, number> => {
  const sums = new Map<number, number>();
  for (const one of series) for (const [day, count] of one) sums.set(day, (sums.get(day) ?? 0) + count);
  return sums;
};
