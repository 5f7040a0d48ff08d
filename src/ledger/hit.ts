import type { Counted } from './frequency-counters.ts';
import { holdsPrice, type BillsOn, type Limits } from './limits.ts';

/** The kinds of hits on a served ad. */
export const HIT_KINDS = ['impression', 'click', 'event'] as const;
export type HitKind = (typeof HIT_KINDS)[number];

/** Why a hit is filtered, as its request shows (tracking/invalid-traffic/rules.ts). */
export const REQUEST_REASONS = ['prefetch', 'hidden', 'malformed_agent', 'spider', 'data_center', 'foreign_origin', 'elsewhere'] as const;
export type RequestReason = (typeof REQUEST_REASONS)[number];

/** Why a click is filtered, as the order of hits shows. */
export const ORDER_REASONS = ['fast_click', 'no_impression'] as const;
export type OrderReason = (typeof ORDER_REASONS)[number];

/** Why the ledger filters a hit: by the order of hits, or by what was done over time (settle/activity-rule.ts). */
export const LEDGER_REASONS = [...ORDER_REASONS, 'activity'] as const;
export type LedgerReason = (typeof LEDGER_REASONS)[number];

/** Every reason for which a hit is filtered: stored, but neither counted nor billed. */
export const INVALID_REASONS = [...REQUEST_REASONS, ...LEDGER_REASONS] as const;
export type InvalidReason = (typeof INVALID_REASONS)[number];

/**
 * In the place of the reason of a hit under judgement for `activity`: it is neither net nor filtered. Its
 * row and its counts have this state until it is judged.
 */
export const PROVISIONAL = 'provisional';
export type HitState = '' | InvalidReason | typeof PROVISIONAL;

/** Every kind of filtered and of provisional hits that is counted. */
export const FILTERED_COUNTS = HIT_KINDS.flatMap((kind) => [...INVALID_REASONS, PROVISIONAL].map((reason) => ({ kind, reason })));
/** The name of such a count in reports: `impression_spider`. */
export const filteredName = (kind: string, reason: string): string => `${kind}_${reason}`;

/** The event type of a viewable ad, which the SDK sends as the MRC defines it. */
export const VIEWABLE = 'viewable';

/** The event type of a video that was played to its end (VAST 4.2, 3.14.1). */
export const COMPLETE = 'complete';

/** The event type of an ad that its player will not play (VAST 4.2, 3.14.1): its hold ends, and its impression can no longer count. */
export const NOT_USED = 'notUsed';

/** The limits of spend. Micros; null: no limit. */
export type SpendLimits = Pick<Limits, 'dailySpendMicros' | 'budgetMicros' | 'campaignBudgetMicros' | 'campaignDailyMicros'>;

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
  /** At which it was shown (ad-size.ts); undefined: it is not known. */
  readonly size?: number | undefined;
  /** Micros billed, once, by the hit that `billsOn` names; 0 when flat. */
  readonly priceMicros: number;
  readonly billsOn: BillsOn;
  readonly day: number;
  /** When the ad was selected, by the replica's estimate of Redis's clock. */
  readonly servedAtMs: number;
  /** 0 when nothing was reserved, because Redis was unavailable and the line item has no limit. */
  readonly holdEndMs: number;
  /** The end of the token: of its clicks and events, and of the impression unless its hold ends first. */
  readonly tokenExpS: number;
  /** Keyed hash; null when the user id may not be used. */
  readonly userHash: string | null;
  /** Whether the bid has a billing notice URL (billing-notices.ts). */
  readonly billingNotice: boolean;
  /**
   * The limits that bounded the selection of an ad that bills after its impression: nothing is held
   * for that hit, or no longer, so they bound it when its line item no longer does. undefined: it had none, or bills
   * the impression.
   */
  readonly spendBounds?: SpendLimits | undefined;
  /**
   * What its impression and its clicks count for the user under frequency caps (frequency-counters.ts): they count
   * also when the row is gone.
   */
  readonly counted?: Counted | undefined;
  /** True: the user may not be measured, and its events keep less (stored-hit.ts). */
  readonly unmeasured?: boolean | undefined;
  /** Who asked for it, when its hold has to be earned: the impression is the proof. */
  readonly client?: string | undefined;
  /** True: the ledger did not count its hold as the client's (free-holds.ts). */
  readonly isFree?: boolean | undefined;
  /** Where the ad was served to (context/visitor-seal.ts), to judge its hits by; never stored where `unmeasured`. */
  readonly seal?: string | undefined;
}

/** What is kept of the sender of a hit, to filter a stored day again. */
export interface HitSignals {
  /** The network of the address: a /24 of IPv4 or a /48 of IPv6. */
  readonly network: string | null;
  /** What is kept of the user agent (context/device-detector.ts). */
  readonly agent: string | null;
  /** The origin of the page, as the request names it. */
  readonly origin: string | null;
  /** It came from elsewhere than its ad was served to. */
  readonly elsewhere: boolean;
}

/** One request of a tracking URL. */
export interface Hit {
  readonly ad: ServedAd;
  readonly kind: HitKind;
  /** For an event: its type, from the allowlist; '' otherwise. */
  readonly eventType: string;
  /** '': nothing in the request is a reason to filter the hit. */
  readonly invalidReason: '' | RequestReason;
  /** undefined: nothing may be kept. */
  readonly signals?: HitSignals | undefined;
  /** Epoch ms by Redis's clock, used only when the hit went to Postgres first. */
  readonly atMs: number;
  readonly country: string | null;
  readonly device: string | null;
  /** Of the address, and the family of the browser; undefined: unknown, or not kept. */
  readonly region?: string | undefined;
  readonly browser?: string | undefined;
  /** It was filtered, and rules that are newer say that a person caused it (commands/refilter). */
  readonly restored?: RestoredHit | undefined;
}

/** A hit that is counted after all, if its caps have room. */
export interface RestoredHit {
  /** Why it was filtered, and stays so where there is no room. */
  readonly reason: InvalidReason;
  /** When it was judged again, epoch ms. */
  readonly atMs: number;
}

/** Whether a hit is the one that bills its ad. */
export const billsHit = ({ ad: { billsOn }, kind, eventType }: Pick<Hit, 'ad' | 'kind' | 'eventType'>): boolean =>
  kind === 'event' ? billsOn === eventType && (eventType === VIEWABLE || eventType === COMPLETE) : billsOn === kind;

/** Whether a hit that counts takes its place, or what it bills, out of the hold of its ad. */
export const takesFromHold = (hit: Pick<Hit, 'ad' | 'kind' | 'eventType' | 'restored'>): boolean =>
  hit.ad.holdEndMs > 0 && !hit.restored && (hit.kind === 'impression' || (billsHit(hit) && holdsPrice(hit.ad.billsOn)));

/**
 * When a hit can no longer be counted, epoch ms: an impression with its hold, which may end before
 * the token; a click or an event with the token.
 */
export const endMsOf = ({ ad: { tokenExpS, holdEndMs }, kind }: Pick<Hit, 'ad' | 'kind'>): number =>
  kind === 'impression' && holdEndMs > 0 ? Math.min(tokenExpS * 1000, holdEndMs) : tokenExpS * 1000;

export interface Settled {
  /**
   * `filtered`: stored, not counted. `waiting`: a click, or an event that bills, that waits
   * for its impression. `provisional`: a click that is judged some minutes later (settle/judge-clicks.ts).
   * `expired`: by Redis's clock the token has ended. `kept`: a restored hit stays filtered, as its caps have no room.
   */
  readonly outcome: 'counted' | 'filtered' | 'waiting' | 'provisional' | 'duplicate' | 'expired' | 'kept';
  /** False when an impression's hold was not there; never, unless Redis lost data. */
  readonly foundHold: boolean;
  /** Why the ledger filtered it. */
  readonly reason: LedgerReason | undefined;
  /** What became of the click that waited for this impression. */
  readonly click: 'counted' | typeof PROVISIONAL | LedgerReason | undefined;
  /** The same of the event that bills. */
  readonly event: 'counted' | OrderReason | undefined;
}
