import type { PidGains } from '../../config/settings.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RefusalReason } from '../../serving/count-refusals.ts';
import type { HitRates, StartedAccount } from './known-delivery.ts';
import { comingDays, type ComingDays, type ComingDaysOptions } from './coming-days.ts';
import { deliveryRange, type Range } from './delivery-range.ts';
import { runReplay, type ReplayedDelivery, type ReplayOptions, type ReplayResult } from './run-replay.ts';

export interface PredictOptions extends ComingDaysOptions {
  readonly snapshot: Snapshot;
  readonly publisherId: number;
  readonly started: readonly StartedAccount[];
  readonly rates: HitRates;
  readonly pid: PidGains;
  readonly tokenTtlMs: number;
  /** A number in [0, 1), from the beginning for each replay. */
  readonly randomOf: () => () => number;
  readonly pause: (done: number) => Promise<void>;
  /** By how much the ranges of earlier forecasts were too narrow. */
  readonly widening?: number | undefined;
  /** Called for each request of the middle replay that counts. */
  readonly onDecided?: ReplayOptions['onDecided'];
}

export interface PredictedDay extends Range {
  /** Of the publisher, since the epoch. */
  readonly day: number;
}

/** What a line item is expected to deliver until the end of the forecast. */
export interface PredictedDelivery extends Range {
  readonly byDay: readonly PredictedDay[];
  readonly clicks: number;
  readonly refusals: ReadonlyMap<RefusalReason, number>;
  readonly outrankedBy: ReadonlyMap<number, number>;
}

export interface Prediction {
  readonly coming: ComingDays;
  readonly lineItems: ReadonlyMap<number, PredictedDelivery>;
  readonly middle: ReplayResult;
}

/** With so much less and more traffic the days are replayed again: the logarithm of it. */
const DEVIATION = 0.1;

/**
 * Replays the days to come three times: with the traffic that is expected, with less and with more. How a line item responds to
 * that says how sure its delivery is (delivery-range.ts).
 */
export const predict = async (options: PredictOptions): Promise<Prediction> => {
  const { randomOf, pause, widening = 1 } = options;
  const coming = comingDays(options);
  const replay = (deviation: number, run: number): Promise<ReplayResult> =>
    runReplay({
      ...options,
      ...{ before: coming.before, scale: coming.scale, random: randomOf() },
      days: coming.days(() => Math.exp(deviation)),
      offsetMs: (atMs) => options.zoneOffset(options.zone, atMs),
      pause: (done) => pause((run + done) / RUNS),
      onDecided: deviation === 0 ? options.onDecided : undefined,
    });
  const middle = await replay(0, 0);
  const less = await replay(-DEVIATION, 1);
  const more = await replay(DEVIATION, 2);
  const lineItems = new Map<number, PredictedDelivery>();
  const days = Array.from({ length: options.days }, (_, ahead) => coming.today + ahead);
  for (const id of new Set([...middle.lineItems.keys(), ...less.lineItems.keys(), ...more.lineItems.keys()])) {
    const of = middle.lineItems.get(id) ?? NOTHING;
    const others = [less, more].map((one) => one.lineItems.get(id) ?? NOTHING);
    const all = sumOf(of, days);
    const supply = all + supplyLost(of);
    const rangeOf = (at: readonly number[]): Range => {
      const sum = sumOf(of, at);
      const [ofLess = 0, ofMore = 0] = others.map((one) => sumOf(one, at));
      const spreadOn = (day: number): number =>
        at.length === 1 ? coming.spreadOfDay(day - coming.today) : coming.plan.spread(day - coming.today);
      const spreads = at.reduce((weighed, day) => weighed + (of.impressions.get(day) ?? 0) * spreadOn(day), 0);
      return deliveryRange({
        ...{ middle: sum, others: [ofLess, ofMore], deviation: DEVIATION, widening },
        supply: all === 0 ? 0 : (supply * sum) / all,
        spread: sum === 0 ? 0 : spreads / sum,
        countNoise: coming.countNoise,
      });
    };
    lineItems.set(id, {
      ...rangeOf(days),
      byDay: days.map((day) => ({ day, ...rangeOf([day]) })),
      clicks: [...of.clicks.values()].reduce((sum, count) => sum + count, 0),
      refusals: of.refusals,
      outrankedBy: of.outrankedBy,
    });
  }
  return { coming, lineItems, middle };
};

const RUNS = 3;

const NOTHING: ReplayedDelivery = { impressions: new Map(), clicks: new Map(), refusals: new Map(), outrankedBy: new Map() };

const sumOf = ({ impressions }: ReplayedDelivery, days: readonly number[]): number =>
  days.reduce((sum, day) => sum + (impressions.get(day) ?? 0), 0);

/** Impressions where it could run, and something else was shown or nothing. */
const supplyLost = ({ refusals }: ReplayedDelivery): number =>
  [...refusals].reduce((sum, [reason, impressions]) => (OF_OTHERS.includes(reason) ? sum : sum + impressions), 0);
/** Impressions that are not of its supply. */
const OF_OTHERS: readonly RefusalReason[] = [NoBidReason.Targeting, NoBidReason.SizeOrFormat];
