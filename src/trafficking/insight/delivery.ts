import type { Pacing } from '../../catalog/model/entities.ts';

/** In the order in which they stand in the way: the first that applies is what would have to change first. */
export const DELIVERY_STATUSES = ['ended', 'paused', 'scheduled', 'blocked', 'budget spent', 'capped', 'active'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface EffectiveStatus {
  readonly value: DeliveryStatus;
  /** Everything that applies, the first being what `value` says. */
  readonly reasons: readonly string[];
}

export interface DayFigures {
  readonly day: string;
  readonly serves: number;
  readonly impressions: number;
  readonly clicks: number;
  /** USD. */
  readonly spend: number;
}

export interface HourFigures {
  /** UTC. */
  readonly hour: number;
  readonly impressions: number;
  readonly clicks: number;
}

export interface Figures extends Omit<DayFigures, 'day'> {
  readonly events: Readonly<Record<string, number>>;
}

/** The answer of GET /api/line_items/{id}/delivery: how a line item stands, here and on the trafficking page. Money in USD. */
export interface Delivery {
  readonly line_item_id: number;
  readonly at: string;
  /** UTC. */
  readonly day: string;
  /** False: the figures are those that have reached Postgres, and what is reserved is not known. */
  readonly live: boolean;
  readonly status: EffectiveStatus;
  readonly today: Figures & { readonly held: number | null; readonly committed: number };
  readonly yesterday: Figures;
  readonly total: { readonly impressions: number; readonly spend: number };
  readonly limits: {
    readonly daily_impression_cap: number | null;
    readonly daily_spend_cap: number | null;
    readonly budget: number | null;
    readonly campaign_budget: number | null;
    readonly campaign_spend: number;
  };
  readonly pacing: {
    readonly mode: Pacing;
    /** Impressions due by now; null: nothing to pace by. */
    readonly target: number | null;
    /** Selections that pacing would allow at once. */
    readonly allowance: number | null;
    /** A day's traffic by UTC hour, summing to 1. */
    readonly curve: readonly number[];
  };
  readonly frequency: { readonly places: number; readonly window: number } | null;
  readonly hourly: readonly HourFigures[];
  readonly last_days: readonly DayFigures[];
}
