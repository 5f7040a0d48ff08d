import type { PidGains } from '../../config/settings.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { RefusalReason } from '../../serving/count-refusals.ts';
import type { HitRates, StartedAccount } from './known-delivery.ts';
import { comingDays, type ComingDays, type ComingDaysOptions } from './coming-days.ts';
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
  /** By how much measured forecasts were off beyond what traffic explains: the standard deviation of the logarithm. */
  readonly measuredSpread?: number;
  /** Called for each request of the middle replay that counts. */
  readonly onDecided?: ReplayOptions['onDecided'];
  /** false: only the middle is replayed. */
  readonly hasRange?: boolean;
}

/** What is delivered with a chance of 10, 50 and 90 per cent at most. */
export interface Range {
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
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

/** Of a normal distribution, 10 per cent are below and above. */
const TENTH = 1.2816;

/**
 * Replays the days to come three times: with the traffic that is expected, and with as much less and more as one in ten such
 * weeks has. A line item whose goal binds it gets the same in all of them.
 */
export const predict = async (options: PredictOptions): Promise<Prediction> => {
  const { randomOf, pause, hasRange = true } = options;
  const coming = comingDays(options);
  const runs = hasRange ? 3 : 1;
  const replay = (deviations: number, run: number): Promise<ReplayResult> =>
    runReplay({
      ...options,
      ...{ before: coming.before, scale: coming.scale, random: randomOf() },
      days: coming.days((ahead) => Math.exp(deviations * coming.plan.spread(ahead))),
      offsetMs: (atMs) => options.zoneOffset(options.zone, atMs),
      pause: (done) => pause((run + done) / runs),
      onDecided: deviations === 0 ? options.onDecided : undefined,
    });
  const middle = await replay(0, 0);
  const low = hasRange ? await replay(-TENTH, 1) : middle;
  const high = hasRange ? await replay(TENTH, 2) : middle;
  const lineItems = new Map<number, PredictedDelivery>();
  const days = Array.from({ length: options.days }, (_, ahead) => coming.today + ahead);
  for (const id of new Set([...middle.lineItems.keys(), ...low.lineItems.keys(), ...high.lineItems.keys()])) {
    const of = middle.lineItems.get(id) ?? NOTHING;
    const both = [low.lineItems.get(id) ?? NOTHING, high.lineItems.get(id) ?? NOTHING];
    const measured = options.measuredSpread ?? 0;
    const rangeOf = (at: readonly number[]): Range =>
      widened(
        sumOf(of, at),
        both.map((one) => sumOf(one, at)),
        coming.scale,
        measured,
      );
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

const NOTHING: ReplayedDelivery = { impressions: new Map(), clicks: new Map(), refusals: new Map(), outrankedBy: new Map() };

const sumOf = ({ impressions }: ReplayedDelivery, days: readonly number[]): number =>
  days.reduce((sum, day) => sum + (impressions.get(day) ?? 0), 0);

/** Chance beyond that of visits, which come in groups: a visitor is shown several. */
const CLUSTERED = 1.5;
/** No forecast is nearer. */
const LEAST = 0.005;

/** The range of three replays, widened by chance: of the few impressions that one of the replay stands for, and by what was measured. */
const widened = (middle: number, others: readonly number[], scale: number, measured: number): Range => {
  const chance = TENTH * Math.sqrt(CLUSTERED * scale * middle + (Math.hypot(measured, LEAST) * middle) ** 2);
  const below = middle - Math.min(middle, ...others);
  const above = Math.max(middle, ...others) - middle;
  return {
    p10: Math.max(Math.round(middle - Math.hypot(below, chance)), 0),
    p50: Math.round(middle),
    p90: Math.round(middle + Math.hypot(above, chance)),
  };
};
