import { countedCaps } from '../../src/ledger/frequency-counters.ts';
import type { Selected } from './replica.ts';

export interface CountedMax {
  readonly counter: number;
  readonly max: number;
  readonly windowMs: number;
}

/** The limits of one selection, by the rules of the contract. null: no limit. Money in micros. */
export interface Bounds {
  readonly dailyImpressions: number | null;
  readonly dailySpend: number | null;
  readonly budget: number | null;
  readonly campaignBudget: number | null;
  readonly campaignDaily: number | null;
  /** Impressions over the flight. */
  readonly goal: number | null;
  /** Of a user, by the counters of the ledger: of impressions, and of clicks. */
  readonly caps: readonly CountedMax[];
  readonly clickCaps: readonly CountedMax[];
}

/** A programmatic line item is billed by its bid, whatever its budget type says. */
const isFlat = ({ lineItem, bidMicros }: Selected): boolean => bidMicros === null && lineItem.budgetType === 'Flat';

/** A Flat fee is agreed in advance: no budget bounds its events. A cap of a user below a roadblock lets it through once. */
export const boundsOf = (selected: Selected): Bounds => {
  const { lineItem, campaign, together } = selected;
  const flat = isFlat(selected);
  const caps = countedCaps(selected) ?? [];
  return {
    dailyImpressions: lineItem.dailyImpressionCap,
    dailySpend: flat ? null : lineItem.dailySpendCapMicros,
    budget: flat ? null : lineItem.budgetMicros,
    campaignBudget: flat ? null : campaign.budgetMicros,
    campaignDaily: flat ? null : campaign.dailyBudgetMicros,
    goal: lineItem.goals.impressions,
    caps: caps.filter(({ of }) => of === 'impressions').map((cap) => ({ ...cap, max: Math.max(cap.max, together.length) })),
    clickCaps: caps.filter(({ of }) => of === 'clicks'),
  };
};

/** Micros that are held from the selection on: until the impression bills them, or the view that is complete. */
export const heldPrice = ({ lineItem, bidMicros, keptMicros }: Selected): number => {
  if (keptMicros !== undefined) return keptMicros;
  if (bidMicros !== null) return Math.round(bidMicros / 1000);
  if (lineItem.budgetType === 'CPCV') return lineItem.cpcvMicros ?? 0;
  return lineItem.budgetType === 'CPM' ? (lineItem.cpmMicros ?? 0) / 1000 : 0;
};

/** The hit after the impression that bills, as hits are named, and the micros that it bills at most. */
export const laterBill = ({ lineItem, bidMicros, keptMicros }: Selected): { readonly hit: string; readonly price: number } => {
  if (bidMicros === null && lineItem.budgetType === 'CPC') return { hit: 'click', price: lineItem.cpcMicros ?? 0 };
  if (bidMicros === null && lineItem.budgetType === 'VCPM') return { hit: 'event:viewable', price: (lineItem.cpmMicros ?? 0) / 1000 };
  if (bidMicros === null && lineItem.budgetType === 'CPCV') return { hit: COMPLETE_VIEW, price: keptMicros ?? lineItem.cpcvMicros ?? 0 };
  return { hit: '', price: 0 };
};
export const COMPLETE_VIEW = 'event:complete';

/** The shortest time in which a person clicks, and how long a click may precede its impression. */
const MIN_CLICK_MS = 100;
const MAX_AHEAD_MS = 60_000;

/** Why a hit that needs an impression is filtered, or ''. By the times at which the hits of its token came; undefined: no impression counted. */
export const orderFault = (isClick: boolean, clickAtMs: number, servedAtMs: number, seenAtMs: number | undefined): string => {
  const sinceSeenMs = seenAtMs === undefined ? -Infinity : clickAtMs - seenAtMs;
  if (isClick && (Math.abs(clickAtMs - servedAtMs) < MIN_CLICK_MS || (sinceSeenMs >= 0 && sinceSeenMs < MIN_CLICK_MS))) return 'fast_click';
  return sinceSeenMs < -MAX_AHEAD_MS ? 'no_impression' : '';
};

/** A replica's clock, and steps back of Redis's, differ from true time by less. */
export const MAX_SKEW_MS = 1_500;

/** A hold ends this long after its token at the latest: the margin for hits under way, and both clocks' tolerance. */
export const RELEASE_MARGIN_MS = 5_000 + MAX_SKEW_MS;

/**
 * Holds that end close together end as one: within a sixteenth of a token's life. Those of a lot may be as much older
 * than its last ad as a lot is handed out.
 */
export const holdSlackMs = (ttlMs: number): number => Math.ceil(ttlMs / 16) + 1_000 + Math.min(60_000, ttlMs / 4) * 1.0625;
