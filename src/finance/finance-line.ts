/** What one campaign earned in a month from one advertiser. Money in micros of the publisher's currency. */
export interface FinanceLine {
  /** YYYY-MM: the month whose figures these are; before the month of the statement: a correction. */
  readonly ofMonth: string;
  readonly campaignId: number;
  /** Names are those when the month of the figures was closed. null: deleted before names were kept. */
  readonly campaign: string | null;
  /** Who paid when it was counted; null: not known. */
  readonly advertiserId: number | null;
  readonly advertiser: string | null;
  readonly impressions: number;
  readonly clicks: number;
  readonly revenueMicros: number;
  /** What fees will earn from tomorrow to the end of an open month; not in the revenue. */
  readonly feeToComeMicros: number;
  /** The revenue in micros of `currency`; null: its rate is not known. */
  readonly amountMicros: number | null;
  /** ISO 4217: of statements; of a closed month, when it was closed. */
  readonly currency: string;
}

/** After a month, YYYY-MM: its first day. */
export const FIRST_DAY = '-01';
