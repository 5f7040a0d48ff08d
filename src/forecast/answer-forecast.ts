import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { LineItem } from '../catalog/model/entities.ts';
import { showEndDate } from '../catalog/model/flight-dates.ts';
import { classesThatLeave } from '../catalog/model/line-item-classes.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';
import { reasonName, wordsOf, type NoBidReason } from '../decision/no-bid-reason.ts';
import { OUTRANKED } from '../serving/count-refusals.ts';
import { withoutFrequencyCaps } from '../catalog/model/without-frequency-caps.ts';
import { goalDue } from './goal-due.ts';
import { deliveryOf, estimateSupply, type LimitedBy, type Supply } from './estimate.ts';
import type { Binding, ForecastAnswer, ForecastRange, ForecastRemedy } from './forecast-answer.ts';
import type { MatchLineItem } from './match-line-item.ts';
import type { ComingDays } from './replay/coming-days.ts';
import type { Prediction } from './replay/predict.ts';
import type { ReplayRequest } from './replay/replayed-request.ts';
import type { HitRates, StartedAccount } from './replay/known-delivery.ts';

/** What all bookings of a publisher deliver. Sums are of impressions of the replay (`prediction.coming.scale`). */
export interface Baseline {
  /** Of the catalog. */
  readonly version: number;
  readonly prediction: Prediction;
  /** By placement and line item. */
  readonly winners: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** By placement, line item and day. */
  readonly winnersByDay: ReadonlyMap<string, ReadonlyMap<number, ReadonlyMap<number, number>>>;
  /** By placement and day. */
  readonly available: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly sold: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** That of the ranges. */
  readonly widening: number;
}

export interface AskedForecast {
  readonly snapshot: Snapshot;
  readonly publisherId: number;
  readonly lineItemId: number;
  readonly coming: ComingDays;
  readonly matches: MatchLineItem;
  readonly toRequest: ReplayRequest;
  readonly options: { readonly started: readonly StartedAccount[]; readonly rates: HitRates };
  /** The date of a day, since the epoch. */
  readonly dateOf: (day: number) => string;
}

/** Without a replay the range is wider than that of traffic alone. */
const SAMPLED_SPREAD = 0.15;
const TENTH = 1.2816;
const LONGER_DAYS = 7;

/** The quick answer: from the sample, and from who won in the last replay of all bookings where there is one. */
export const answerSampled = (asked: AskedForecast & { readonly baseline: Baseline | undefined }): ForecastAnswer => {
  const { snapshot, lineItemId, coming, matches, toRequest, baseline, dateOf } = asked;
  const lineItem = lineItemIn(snapshot, lineItemId);
  const days = coming.days(() => 1);
  const supply = estimateSupply({ days, matches, toRequest, takenAbove: takenAbove(snapshot, lineItem, baseline) });
  const limits = limitsOf(asked, lineItem);
  const byDay = deliveryOf(supply, limits);
  const total = byDay.reduce((sum, count) => sum + count, 0);
  const spread = (ahead: number): number => Math.hypot(SAMPLED_SPREAD, coming.plan.spread(ahead));
  const range = (count: number, ahead: number): ForecastRange => ({
    p10: Math.round(count * Math.exp(-TENTH * spread(ahead))),
    p50: Math.round(count),
    p90: Math.round(Math.min(count * Math.exp(TENTH * spread(ahead)), Math.max(supply.available, count))),
  });
  const most = goalLeft(limits);
  const forecast = { fromMs: coming.today * MS_PER_DAY, untilMs: (coming.today + days.length) * MS_PER_DAY };
  const goal = most === null ? null : goalDue(most, limits.lineItem, limits.campaign, forecast);
  return {
    basis: 'sample',
    ...{ from: dateOf(coming.today), to: dateOf(coming.today + days.length - 1) },
    ...{ available: Math.round(supply.available), free: Math.round(supply.free), goal },
    delivery: {
      ...capped(range(total, days.length / 2), most),
      by_day: byDay.map((count, ahead) => ({ day: dateOf(coming.today + ahead), ...range(count, ahead) })),
    },
    clicks: Math.round(total * asked.options.rates.clickRate(lineItemId)),
    binding: [],
    displaced: [],
    remedies: goal !== null && total < goal ? remediesFor(asked, supply, limits, total) : [],
    without_history: placementsOf(asked).filter((placement) => !isVisited(coming, placement)),
    warning: coming.plan.warning ?? (baseline ? null : 'Other bookings are not considered yet: they are being replayed'),
  };
};

/** The answer of the replay. `before`: without the line item, where it is a draft. */
export const answerReplayed = (
  asked: AskedForecast & { readonly sampled: ForecastAnswer; readonly before: Baseline; readonly after: Prediction },
): ForecastAnswer => {
  const { snapshot, lineItemId, coming, sampled, before, after, dateOf } = asked;
  const found = after.lineItems.get(lineItemId);
  const limits = limitsOf(asked, lineItemIn(snapshot, lineItemId));
  const { goal } = sampled;
  const { p10 = 0, p50 = 0, p90 = 0 } = found ?? {};
  const days = found?.byDay ?? [];
  const binding = bindingOf(found?.refusals ?? new Map<NoBidReason, number>(), sampled.available);
  const factor = sampled.delivery.p50 === 0 ? 1 : p50 / sampled.delivery.p50;
  return {
    ...sampled,
    basis: 'replay',
    delivery: {
      ...capped({ p10, p50, p90 }, goalLeft(limits)),
      by_day: days.map(({ day, ...range }) => ({ day: dateOf(day), ...range })),
    },
    clicks: Math.round(found?.clicks ?? 0),
    binding,
    displaced: after === before.prediction ? [] : displacedBy(lineItemId, before.prediction, after, coming.scale),
    // What the sample says of each change, at the level of the replay.
    remedies: sampled.remedies
      .map((remedy) => ({ ...remedy, p50: Math.round(remedy.p50 * factor) }))
      .filter((remedy) => goal !== null && p50 < goal * 0.98 && remedy.p50 > p50),
    warning: coming.plan.warning ?? null,
  };
};

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
const capped = ({ p10, p50, p90 }: ForecastRange, goal: number | null): ForecastRange => {
  const most = goal ?? Infinity;
  return { p10: Math.min(p10, most), p50: Math.min(p50, most), p90: Math.min(p90, most) };
};

/** Of each placement, the part that goes to line items of a higher priority or price. */
const takenAbove = (snapshot: Snapshot, lineItem: LineItem, baseline: Baseline | undefined): ((placementId: string) => number) => {
  const known = new Map<string, number>();
  const ranksAbove = (id: number): boolean => {
    const other = snapshot.lineItems.get(id);
    if (!other || id === lineItem.id) return false;
    return (
      other.priority < lineItem.priority || (other.priority === lineItem.priority && (other.cpmMicros ?? 0) > (lineItem.cpmMicros ?? 0))
    );
  };
  return (placementId) => {
    let part = known.get(placementId);
    if (part === undefined) {
      const all = [...(baseline?.available.get(placementId)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
      const above = [...(baseline?.winners.get(placementId) ?? [])].reduce((sum, [id, count]) => (ranksAbove(id) ? sum + count : sum), 0);
      known.set(placementId, (part = all === 0 ? 0 : above / all));
    }
    return part;
  };
};

const remediesFor = (asked: AskedForecast, supply: Supply, limits: LimitedBy, total: number): readonly ForecastRemedy[] => {
  const sumOf = (of: Supply, by: Partial<LimitedBy> = {}): number =>
    Math.round(deliveryOf(of, { ...limits, ...by }).reduce((sum, count) => sum + count, 0));
  const { lineItem } = limits;
  const found: ForecastRemedy[] = [];
  const add = (change: ForecastRemedy['change'], words: string, p50: number, fields: ForecastRemedy['fields']): void => {
    if (p50 > total * 1.02) found.push({ change, words, p50, fields });
  };
  const endsMs = Math.min(lineItem.flight.endMs, limits.campaign.flight.endMs);
  const live = supply.byDay.filter(({ available }) => available > 0).length;
  if (live > 0 && endsMs < (asked.coming.today + supply.byDay.length) * MS_PER_DAY)
    add('longer', `run ${LONGER_DAYS} days longer`, Math.round(total * (1 + LONGER_DAYS / live)), {
      end_date: showEndDate(endsMs + LONGER_DAYS * MS_PER_DAY),
    });
  if (lineItem.frequencyCaps.length > 0)
    add('without_frequency_cap', 'take the frequency cap away', sumOf(supply, { lineItem: withoutFrequencyCaps(lineItem) }), {
      frequency_cap: null,
      frequency_caps: [],
    });
  if (lineItem.priority > 1 && classesThatLeave('priority').includes(lineItem.class ?? ''))
    add(
      'higher_priority',
      'give it priority 1',
      sumOf({ ...supply, byDay: supply.byDay.map((day) => ({ ...day, free: day.available })) }),
      {
        priority: 1,
      },
    );
  if (lineItem.targeting.length > 0) {
    const wider = estimateSupply({
      ...{
        days: asked.coming.days(() => 1),
        toRequest: asked.toRequest,
        takenAbove: () => 1 - (supply.available === 0 ? 0 : supply.free / supply.available),
      },
      matches: (_request, { placementId }) => isBookedOn(asked, placementId),
    });
    add('wider', 'take its targeting away', sumOf(wider), { targeting: null, targeting_id: null });
  }
  return found.sort((a, b) => b.p50 - a.p50);
};

const placementsOf = ({ snapshot, lineItemId }: AskedForecast): readonly string[] => [
  ...new Set(snapshot.creativesOf(lineItemId).flatMap(({ placementIds }) => placementIds)),
];

const isBookedOn = (asked: AskedForecast, placementId: string): boolean => placementsOf(asked).includes(placementId);

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
