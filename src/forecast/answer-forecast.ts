import type { LineItem } from '../catalog/model/entities.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';
import { reasonName, wordsOf, type NoBidReason } from '../decision/no-bid-reason.ts';
import { OUTRANKED, type RefusalReason } from '../serving/count-refusals.ts';
import { placementsOf, type AskedForecast, type Baseline, type Sold } from './asked-forecast.ts';
import { AS_SAMPLED, calibrate } from './calibrate.ts';
import { deliveryOf, estimateSupply, type LimitedBy, type Supply } from './estimate.ts';
import type { Binding, ForecastAnswer } from './forecast-answer.ts';
import { goalDue } from './goal-due.ts';
import { remediesFor } from './remedies.ts';
import { TENTH, type Range } from './replay/delivery-range.ts';
import type { ComingDays } from './replay/coming-days.ts';
import type { Prediction } from './replay/predict.ts';
import { takenAbove } from './taken-above.ts';

/** Without a replay the range is wider than that of traffic alone. */
const SAMPLED_SPREAD = 0.15;

interface Estimate {
  readonly supply: Supply;
  readonly limits: LimitedBy;
  readonly byDay: readonly number[];
  readonly total: number;
  /** What is due in these days; null: it has no goal. */
  readonly goal: number | null;
}

/** From the sample, and from who won in the last replay of all bookings where there is one. */
const estimateOf = (asked: AskedForecast, sold: Sold | undefined): Estimate => {
  const { snapshot, lineItemId, coming, matches, toRequest } = asked;
  const lineItem = lineItemIn(snapshot, lineItemId);
  const days = coming.days(() => 1);
  const supply = estimateSupply({ days, matches, toRequest, takenAbove: takenAbove(snapshot, lineItem, sold) });
  const limits = limitsOf(asked, lineItem);
  const byDay = deliveryOf(supply, limits);
  const forecast = { fromMs: coming.today * MS_PER_DAY, untilMs: (coming.today + days.length) * MS_PER_DAY };
  const left = goalLeft(limits);
  return {
    ...{ supply, limits, byDay, total: byDay.reduce((sum, count) => sum + count, 0) },
    goal: left === null ? null : goalDue(left, limits.lineItem, limits.campaign, forecast),
  };
};

/** The quick answer. */
export const answerSampled = (asked: AskedForecast & { readonly baseline: Sold | undefined }): ForecastAnswer => {
  const { baseline: sold } = asked;
  const estimate = estimateOf(asked, sold);
  const { goal, total } = estimate;
  const remedies = goal !== null && total < goal ? remediesFor(asked, { ...estimate, sold, levels: AS_SAMPLED }) : [];
  const answer = withoutRemedies(asked, estimate);
  return {
    ...answer,
    remedies,
    warning: answer.warning ?? (sold ? null : 'Other bookings are not considered yet: they are being replayed'),
  };
};

const withoutRemedies = (asked: AskedForecast, { supply, limits, byDay, total, goal }: Estimate): ForecastAnswer => {
  const { lineItemId, coming, dateOf } = asked;
  const spread = (ahead: number): number => Math.hypot(SAMPLED_SPREAD, coming.plan.spread(ahead));
  const range = (count: number, ahead: number): Range => ({
    p10: Math.round(count * Math.exp(-TENTH * spread(ahead))),
    p50: Math.round(count),
    p90: Math.round(Math.min(count * Math.exp(TENTH * spread(ahead)), Math.max(supply.available, count))),
  });
  return {
    basis: 'sample',
    ...{ from: dateOf(coming.today), to: dateOf(coming.today + byDay.length - 1) },
    ...{ available: Math.round(supply.available), free: Math.round(supply.free), goal },
    delivery: {
      ...capped(range(total, byDay.length / 2), goalLeft(limits)),
      by_day: byDay.map((count, ahead) => ({ day: dateOf(coming.today + ahead), ...range(count, ahead) })),
    },
    clicks: Math.round(total * asked.options.rates.clickRate(lineItemId)),
    viewable: viewableOf(asked, total),
    ...{ binding: [], displaced: [], remedies: [] },
    without_history: placementsOf(asked).filter((placement) => !isVisited(coming, placement)),
    warning: coming.plan.warning ?? null,
  };
};

/** A goal that is missed by so little is reached. */
const REACHED = 0.98;

/** The answer of the replay. `before`: without the line item, where it is a draft. */
export const answerReplayed = (asked: AskedForecast & { readonly before: Baseline; readonly after: Prediction }): ForecastAnswer => {
  const { lineItemId, coming, before, after, dateOf } = asked;
  const estimate = estimateOf(asked, before);
  const { supply, limits, goal } = estimate;
  const found = after.lineItems.get(lineItemId);
  const { p10 = 0, p50 = 0, p90 = 0 } = found ?? {};
  const days = found?.byDay ?? [];
  const refusals = found?.refusals ?? new Map<RefusalReason, number>();
  const levels = calibrate(supply, limits, p50, refusals);
  return {
    ...withoutRemedies(asked, estimate),
    basis: 'replay',
    delivery: {
      ...capped({ p10, p50, p90 }, goalLeft(limits)),
      by_day: days.map(({ day, ...range }) => ({ day: dateOf(day), ...range })),
    },
    clicks: Math.round(p50 * asked.options.rates.clickRate(lineItemId)),
    viewable: viewableOf(asked, p50),
    binding: bindingOf(refusals, supply.available),
    displaced: after === before.prediction ? [] : displacedBy(lineItemId, before.prediction, after, coming.scale),
    // What the sample says of each change, at the level of the replay.
    remedies: goal !== null && p50 < goal * REACHED ? remediesFor(asked, { ...estimate, total: p50, sold: before, levels }) : [],
  };
};

const viewableOf = ({ lineItemId, options: { rates } }: AskedForecast, impressions: number): number | null =>
  rates.isViewKnown ? Math.round(impressions * rates.viewableRate(lineItemId)) : null;

const lineItemIn = (snapshot: Snapshot, id: number): LineItem => {
  const lineItem = snapshot.lineItems.get(id);
  if (!lineItem) throw new Error(`line item ${id} is set aside`);
  return lineItem;
};

const limitsOf = ({ snapshot, lineItemId, options }: AskedForecast, lineItem: LineItem): LimitedBy => {
  const started = options.started.find(({ account }) => account === `l${lineItemId}`);
  const campaign = snapshot.campaigns.get(lineItem.campaignId)!;
  return {
    ...{ lineItem, campaign, delivered: started?.impressions ?? 0, spentMicros: started?.micros ?? 0 },
    renderRate: options.rates.renderRate(lineItemId),
  };
};

const goalLeft = ({ lineItem, delivered }: LimitedBy): number | null =>
  lineItem.goals.impressions === null ? null : Math.max(lineItem.goals.impressions - delivered, 0);

/** Nothing is delivered above a goal. */
const capped = ({ p10, p50, p90 }: Range, goal: number | null): Range => {
  const most = goal ?? Infinity;
  return { p10: Math.min(p10, most), p50: Math.min(p50, most), p90: Math.min(p90, most) };
};

const DAYS_A_WEEK = 7;
const isVisited = ({ plan, today }: ComingDays, placement: string): boolean =>
  Array.from({ length: DAYS_A_WEEK }, (_, ahead) => plan.expected(placement, today + ahead)).some((count) => count > 0);

const MIN_SHARE = 0.01;

const bindingOf = (refusals: ReadonlyMap<number, number>, available: number): readonly Binding[] =>
  [...refusals]
    .filter(([reason]) => reason !== TARGETING)
    .map(([reason, impressions]) => ({
      reason: reason === OUTRANKED ? 'outranked' : reasonName(reason as NoBidReason),
      words: reason === OUTRANKED ? 'another line item ranked above it' : wordsOf(reason as NoBidReason),
      impressions: Math.round(impressions),
      share: available === 0 ? 0 : Math.round(1000 * Math.min(impressions / available, 1)) / 1000,
    }))
    .filter(({ share }) => share >= MIN_SHARE)
    .sort((a, b) => b.impressions - a.impressions);
const TARGETING = 503;

/** Line items that get less with the draft than without, by more than chance. */
const displacedBy = (draftId: number, before: Prediction, after: Prediction, scale: number): ForecastAnswer['displaced'] =>
  [...before.lineItems]
    .map(([id, { p50 }]) => ({ line_item_id: id, before: p50, impressions: p50 - (after.lineItems.get(id)?.p50 ?? 0) }))
    .filter(
      ({ line_item_id, before: had, impressions }) =>
        line_item_id !== draftId && impressions > Math.max(0.02 * had, 3 * Math.sqrt(had * scale)),
    )
    .map(({ line_item_id, impressions }) => ({ line_item_id, impressions: Math.round(impressions) }))
    .sort((a, b) => b.impressions - a.impressions);
