/** What a line item or campaign had delivered when the replay begins. */
export interface StartedAccount {
  /** 'l' or 'c' and its id. */
  readonly account: string;
  readonly todayImpressions: number;
  readonly todayMicros: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly micros: number;
}

/** What becomes of ads, as history says. */
export interface HitRates {
  /** The part of the ads of a line item that renders. */
  renderRate(lineItemId: number): number;
  /** Of its impressions. */
  clickRate(lineItemId: number): number;
  viewableRate(lineItemId: number): number;
  /** Whether anything is known of what was in view: false: the rate is a usual one. */
  readonly isViewKnown: boolean;
}
