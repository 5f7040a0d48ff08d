/** GET /api/line_items/{id}/delivery: how a line item stands. Money in USD, shares from 0 to 1. */
export interface Delivery {
  readonly line_item_id: number;
  readonly at: string;
  readonly day: string;
  readonly live: boolean;
  readonly status: { readonly value: string; readonly reasons: readonly string[] };
  readonly today: DayCounts & {
    readonly held: number | null;
    readonly committed: number;
    readonly events: Readonly<Record<string, number>>;
  };
  readonly yesterday: DayCounts;
  readonly total: { readonly impressions: number; readonly spend: number };
  readonly limits: {
    readonly daily_impression_cap: number | null;
    readonly daily_spend_cap: number | null;
    readonly budget: number | null;
    readonly campaign_budget: number | null;
    readonly campaign_spend: number;
  };
  readonly pacing: {
    readonly mode: string;
    readonly target: number | null;
    readonly allowance: number | null;
    /** Shares of a day's traffic by UTC hour. */
    readonly curve: readonly number[];
  };
  readonly frequency: { readonly places: number; readonly window: number } | null;
  readonly hourly: readonly { readonly hour: number; readonly impressions: number; readonly clicks: number }[];
  readonly last_days: readonly (DayCounts & { readonly day: string })[];
}

export interface DayCounts {
  readonly serves: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly spend: number;
}
