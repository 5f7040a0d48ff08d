import type { Pacing } from '../catalog/model/choices.ts';
import type { LineItemStatus } from './status/line-item-status.ts';
import type { GoalCourse } from './goal-course.ts';

export interface DayFigures {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly serves: number;
  /** Gross = filtered + net. `impressions` and `clicks` are net. */
  readonly gross_impressions: number;
  readonly filtered_impressions: number;
  readonly impressions: number;
  readonly gross_clicks: number;
  readonly filtered_clicks: number;
  readonly clicks: number;
  /** USD. */
  readonly spend: number;
}

export interface HourFigures {
  /** 0 to 23, UTC. */
  readonly hour: number;
  readonly impressions: number;
  readonly clicks: number;
}

export interface Figures extends Omit<DayFigures, 'day'> {
  /** Custom events by event type. */
  readonly events: Readonly<Record<string, number>>;
  /** Filtered hits by kind and reason: `impression_spider`. */
  readonly filtered: Readonly<Record<string, number>>;
}

/**
 * The answer of GET /api/line_items/{id}/delivery, here and on the trafficking page. Money in USD.
 */
export interface Delivery {
  readonly line_item_id: number;
  /** RFC 3339. */
  readonly at: string;
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  /** false: the counters are unavailable, the figures come from Postgres and `held` is null. */
  readonly live: boolean;
  readonly status: LineItemStatus;
  readonly today: Figures & { readonly held: number | null; readonly committed: number };
  readonly yesterday: Figures;
  readonly total: { readonly impressions: number; readonly clicks: number; readonly spend: number };
  /** One for each goal of the line item. */
  readonly goals: readonly GoalCourse[];
  readonly limits: {
    readonly daily_impression_cap: number | null;
    readonly daily_spend_cap: number | null;
    readonly budget: number | null;
    readonly campaign_budget: number | null;
    readonly campaign_spend: number;
  };
  readonly pacing: {
    readonly mode: Pacing;
    /** Impressions of the whole day; null: the line item is not paced. */
    readonly goal: number | null;
    /** Impressions due by now, on the line from where pacing began today to the goal. */
    readonly target: number | null;
    /** Where pacing began today: the share of the day's traffic and the impressions committed. */
    readonly began: { readonly share: number; readonly impressions: number } | null;
    /** Selections that pacing permits now. */
    readonly permits: number | null;
    /** A day's traffic by UTC hour: 24 shares that sum to 1. */
    readonly curve: readonly number[];
  };
  /** `window` in seconds. */
  readonly frequency: { readonly places: number; readonly window: number } | null;
  readonly hourly: readonly HourFigures[];
  readonly last_days: readonly DayFigures[];
}
