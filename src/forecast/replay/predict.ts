import { createDayRules } from '../../base/local-day.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RefusalReason } from '../../serving/count-refusals.ts';
import { comingDays, type ComingDays, type ComingDaysOptions } from './coming-days.ts';
import { deliveryRange, type Range } from './delivery-range.ts';
import { joinedResults, type GroupReplay, type KeptReplays } from './kept-replays.ts';
import { replayGroups, type ReplayGroup } from './replay-groups.ts';
import { newDelivery, runReplay, type ReplayedDay, type ReplayedDelivery, type ReplayOptions, type ReplayResult } from './run-replay.ts';
import { createSoldTally, joinedSums, type SoldSums } from './sold-tally.ts';

export interface PredictOptions
  extends
    ComingDaysOptions,
    Pick<ReplayOptions, 'snapshot' | 'publisherId' | 'started' | 'rates' | 'pid' | 'tokenTtlMs' | 'seed' | 'pause'> {
  /** By how much the ranges of earlier forecasts were too narrow. */
  readonly widening?: number | undefined;
  /** Replays of the same traffic that are used again where nothing has changed, and kept; those of other traffic must not be in it. */
  readonly kept?: KeptReplays | undefined;
}

export interface PredictedDay extends Range {
  /** Of the publisher, since the epoch. */
  readonly day: number;
}

/** What a line item is expected to deliver until the end of the forecast. */
export interface PredictedDelivery extends Range {
  readonly byDay: readonly PredictedDay[];
  readonly refusals: ReadonlyMap<RefusalReason, number>;
}

export interface Prediction {
  readonly coming: ComingDays;
  readonly lineItems: ReadonlyMap<number, PredictedDelivery>;
  readonly middle: ReplayResult;
  readonly sold: SoldSums;
}

/** With so much less and more traffic the days are replayed again: the logarithm of it. */
const DEVIATION = 0.1;

/**
 * Replays the days to come three times: with the traffic that is expected, with less and with more. How a line item responds to
 * that says how sure its delivery is (delivery-range.ts). Groups of placements that share no bookings are replayed one by one, and
 * those in which nothing has changed are not replayed again.
 */
export const predict = async (options: PredictOptions): Promise<Prediction> => {
  const { pause, kept } = options;
  const coming = comingDays(options);
  const days = coming.days(() => 1);
  const groups = replayGroups({
    ...{ snapshot: options.snapshot, publisherId: options.publisherId },
    days: [...coming.before, ...days].map(({ requests }) => requests),
    window: { startMs: options.nowMs - options.beforeMs, endMs: days.at(-1)?.untilMs ?? options.nowMs },
  });
  const keyOf = ({ key, placements }: ReplayGroup): string => `${key} ${coming.scale} ${modelsIn(options.models, placements)}`;
  const missing = groups.filter((group) => !kept?.has(keyOf(group)));
  const replays: GroupReplay[] = [];
  for (const group of groups) {
    const at = missing.indexOf(group);
    const known = at === -1 ? kept?.get(keyOf(group)) : undefined;
    const replay = known ?? (await replayGroup(options, coming, group, (done) => pause((at + done) / missing.length)));
    kept?.set(keyOf(group), replay);
    replays.push(replay);
  }
  await pause(1);
  const [middle, less, more] = (['middle', 'less', 'more'] as const).map((run) => joinedResults(replays.map((replay) => replay[run])));
  return {
    ...{ coming, middle: middle!, sold: joinedSums(replays.map(({ sold }) => sold)) },
    lineItems: rangesOf(coming, options, [middle!, less!, more!]),
  };
};

/** A placement that is expected to be like another one has its requests. */
const modelsIn = (models: ComingDaysOptions['models'], placements: ReadonlySet<string>): string =>
  JSON.stringify([...models].filter(([placement]) => placements.has(placement)));

const replayGroup = async (
  options: PredictOptions,
  coming: ComingDays,
  { placements }: ReplayGroup,
  pause: (done: number) => Promise<void>,
): Promise<GroupReplay> => {
  const { sums, onDecided } = createSoldTally(createDayRules(options.zoneOffset)(options.zone, options.nowMs));
  const ofGroup = (days: readonly ReplayedDay[]): readonly ReplayedDay[] =>
    days.map((day) => ({ ...day, requests: day.requests.filter(({ placements: [first = ''] }) => placements.has(first)) }));
  const replay = (deviation: number, run: number): Promise<ReplayResult> =>
    runReplay({
      ...options,
      ...{ before: ofGroup(coming.before), scale: coming.scale },
      days: ofGroup(coming.days(() => Math.exp(deviation))),
      offsetMs: (atMs) => options.zoneOffset(options.zone, atMs),
      pause: (done) => pause((run + done) / RUNS),
      onDecided: deviation === 0 ? onDecided : undefined,
    });
  return { middle: await replay(0, 0), less: await replay(-DEVIATION, 1), more: await replay(DEVIATION, 2), sold: sums };
};

/** What each line item is expected to deliver, of replays with the traffic that is expected, with less and with more. */
const rangesOf = (
  coming: ComingDays,
  { days: count, widening = 1 }: PredictOptions,
  [middle, less, more]: readonly [ReplayResult, ReplayResult, ReplayResult],
): ReadonlyMap<number, PredictedDelivery> => {
  const lineItems = new Map<number, PredictedDelivery>();
  const days = Array.from({ length: count }, (_, ahead) => coming.today + ahead);
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
      refusals: of.refusals,
    });
  }
  return lineItems;
};

const RUNS = 3;

const NOTHING = newDelivery();

const sumOf = ({ impressions }: ReplayedDelivery, days: readonly number[]): number =>
  days.reduce((sum, day) => sum + (impressions.get(day) ?? 0), 0);

/** Impressions where it could run, and something else was shown or nothing. */
const supplyLost = ({ refusals }: ReplayedDelivery): number =>
  [...refusals].reduce((sum, [reason, impressions]) => (OF_OTHERS.includes(reason) ? sum : sum + impressions), 0);
/** Impressions that are not of its supply. */
const OF_OTHERS: readonly RefusalReason[] = [NoBidReason.Targeting, NoBidReason.SizeOrFormat];
