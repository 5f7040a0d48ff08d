import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';
import type { ForecastRemedy } from './forecast-answer.ts';
import { goalDue } from './goal-due.ts';
import type { StartedAccount } from './replay/known-delivery.ts';
import type { Prediction } from './replay/predict.ts';

/** A line item that is expected to fall short of its goal, as it is stored. */
export interface ShortLineItem {
  readonly lineItemId: number;
  /** Of the whole flight. */
  readonly goal: number;
  /** What is due until the end of the flight, or of the days that are forecast, beside what is delivered. */
  readonly due: number;
  /** Of it, what is expected. */
  readonly expected: number;
  /** What would help most; null: nothing is known that would. */
  readonly remedy: ForecastRemedy | null;
  /** It has no creative that may serve: no change of its booking helps. */
  readonly lacksCreative?: boolean;
}

export interface ShortOptions {
  readonly snapshot: Snapshot;
  readonly publisherId: number;
  readonly prediction: Prediction;
  readonly started: readonly StartedAccount[];
  readonly nowMs: number;
  /** The end of the days that are forecast. */
  readonly untilMs: number;
}

/** What is missing of what is due and worth a word. */
const LEAST_SHORT = 0.02;

/**
 * The line items that fall short even in the good case: with a chance of nine in ten. Those that miss most come first.
 * Of a flight that ends after the days that are forecast, the even part of what is left is due.
 */
export const findShort = ({ snapshot, publisherId, prediction, started, nowMs, untilMs }: ShortOptions): readonly ShortLineItem[] => {
  const delivered = new Map(started.map(({ account, impressions }) => [account, impressions]));
  const found: ShortLineItem[] = [];
  for (const lineItem of snapshot.lineItems.values()) {
    const { id } = lineItem;
    const goal = lineItem.goals.impressions;
    const campaign = snapshot.campaigns.get(lineItem.campaignId);
    if (goal === null || lineItem.publisherId !== publisherId || lineItem.stop !== null || campaign?.stop !== null) continue;
    if (Math.min(lineItem.flight.endMs, campaign.flight.endMs) - nowMs < LEAST_LEFT_MS) continue;
    const left = Math.max(goal - (delivered.get(`l${id}`) ?? 0), 0);
    const due = goalDue(left, lineItem, campaign, { fromMs: nowMs, untilMs });
    const { p50 = 0, p90 = 0 } = prediction.lineItems.get(id) ?? {};
    const lacksCreative = snapshot.creativesOf(id).length === 0;
    if (p90 < due * (1 - LEAST_SHORT)) found.push({ lineItemId: id, goal, due, expected: p50, remedy: null, lacksCreative });
  }
  return found.sort((a, b) => b.due - b.expected - (a.due - a.expected));
};

/** A flight that is nearly over has another alert. */
const LEAST_LEFT_MS = MS_PER_DAY;
