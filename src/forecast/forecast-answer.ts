/** What with a chance of 10, 50 and 90 per cent is not exceeded, in impressions. */
export interface ForecastRange {
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
}

/** Why a line item is not shown where it matches. */
export interface Binding {
  /** The name of a no-bid reason, or `outranked`. */
  readonly reason: string;
  readonly words: string;
  readonly impressions: number;
  /** Of what matches. */
  readonly share: number;
}

/** What a change would make of the delivery. */
export interface ForecastRemedy {
  readonly change:
    'longer' | 'wider' | 'higher_priority' | 'higher_price' | 'more_placements' | 'without_frequency_cap' | 'without_daily_cap';
  /** In the words of buttons, alerts and mails: they begin with a small letter. */
  readonly words: string;
  readonly p50: number;
  /** Of the line item, what would change: a merge patch. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The answer to a question, from the sample alone at first. */
export interface ForecastAnswer {
  readonly basis: 'sample' | 'replay';
  /** Days of the publisher, the first and the last. */
  readonly from: string;
  readonly to: string;
  /** Impressions that match. */
  readonly available: number;
  /** Of them, those that no line item gets that ranks above. */
  readonly free: number;
  /** What is still to be delivered in the days of the forecast; null: it has no goal. */
  readonly goal: number | null;
  readonly delivery: ForecastRange & { readonly by_day: readonly (ForecastRange & { readonly day: string })[] };
  readonly clicks: number;
  /** Impressions that are in view; null: pages have not reported any. */
  readonly viewable: number | null;
  readonly binding: readonly Binding[];
  readonly displaced: readonly { readonly line_item_id: number; readonly impressions: number }[];
  readonly remedies: readonly ForecastRemedy[];
  /** Placements of the line item that no traffic is expected on: they are new, or no page asks for them. */
  readonly without_history: readonly string[];
  /** What makes the forecast less sure; null: nothing. */
  readonly warning: string | null;
}

/** Why there is no answer when something is wrong: people cannot do more, and the log says what it was. */
export const NOT_MADE = 'The forecast could not be made: try again in a minute';
