import type { Limits } from './limits.ts';

/**
 * The kinds of hits on a served ad. A `record` is stored and neither counted nor billed: invalid
 * traffic.
 */
export const HIT_KINDS = ['impression', 'click', 'event'] as const;
export type HitKind = (typeof HIT_KINDS)[number];

/** 'prefetch' is stored but not counted; 'bot' is counted and marked. */
export const INVALID_REASONS = ['prefetch', 'bot'] as const;
export type InvalidReason = (typeof INVALID_REASONS)[number];

/** The limits of spend. Micros; null: no limit. */
export type SpendLimits = Pick<Limits, 'dailySpendMicros' | 'budgetMicros' | 'campaignBudgetMicros'>;

/**
 * The reservation in a tracking token; the token is this record, signed. Times by Redis's clock.
 */
export interface ServedAd {
  /** Unique for this bid; every count of it is idempotent by this. */
  readonly tokenId: string;
  readonly publisherId: number;
  readonly campaignId: number;
  readonly lineItemId: number;
  readonly creativeId: number;
  readonly placementId: string;
  /** Micros billed: per impression, or per click when `perClick`; 0 when flat. */
  readonly priceMicros: number;
  readonly perClick: boolean;
  readonly day: number;
  /** 0 when nothing was reserved, because Redis was unavailable and the line item has no limit. */
  readonly holdEndMs: number;
  readonly tokenExpS: number;
  /** Keyed hash; null when the user id may not be used. */
  readonly userHash: string | null;
  /** Whether the bid has a billing notice URL (billing-notices.ts). */
  readonly billingNotice: boolean;
  /**
   * The limits that bounded the selection of an ad that bills clicks: nothing is held for a click,
   * so they bound it when its line item no longer does. undefined: it had none, or bills no click.
   */
  readonly clickBounds?: SpendLimits | undefined;
  /**
   * The frequency window in which the ad takes a place, when the line item had a cap: the impression
   * takes it also when the row is gone.
   */
  readonly windowMs?: number | undefined;
  /** True: the user may not be measured, and its events keep less (stored-hit.ts). */
  readonly unmeasured?: boolean | undefined;
}

/** One request of a tracking URL. */
export interface Hit {
  readonly ad: ServedAd;
  readonly kind: HitKind;
  /** For an event: its type, from the allowlist; '' otherwise. */
  readonly eventType: string;
  /** '' for a countable hit; 'prefetch' is stored but not counted; 'bot' is counted and marked. */
  readonly invalidReason: '' | InvalidReason;
  /** Epoch ms by Redis's clock, used only when the hit went to Postgres first. */
  readonly atMs: number;
  readonly country: string | null;
  readonly device: string | null;
}

export interface Settled {
  /** `expired`: by Redis's clock the token has ended. */
  readonly outcome: 'counted' | 'duplicate' | 'expired';
  /** False when an impression's hold was not there; never, unless Redis lost data. */
  readonly foundHold: boolean;
}
