import { MS_PER_DAY } from '../base/utc-day.ts';
import type { FrequencyCap } from '../catalog/model/frequency-caps.ts';
import { commonFlight, type Campaign, type LineItem } from '../catalog/model/entities.ts';
import { laterPriceMicros } from '../ledger/limits.ts';
import type { ReplayRequest } from './replay/replayed-request.ts';
import type { ReplayedDay } from './replay/run-replay.ts';
import type { MatchLineItem } from './match-line-item.ts';

export interface EstimateOptions {
  readonly days: readonly ReplayedDay[];
  readonly matches: MatchLineItem;
  readonly toRequest: ReplayRequest;
  /** The part of a placement's impressions that line items get which rank above. */
  readonly takenAbove: (placementId: string) => number;
  /** Requests that are looked at, about. */
  readonly most?: number;
}

/** What there is for a line item in the sample, in impressions of the world. */
export interface Supply {
  readonly available: number;
  readonly free: number;
  /** What matches, by placement. */
  readonly availableOn: ReadonlyMap<string, number>;
  readonly byDay: readonly { readonly day: number; readonly available: number; readonly free: number }[];
  /** How often each visitor could be shown it on a day, for frequency caps. */
  readonly visits: readonly (readonly [matches: number, weight: number])[];
  /** Impressions of visitors that no cap can be kept for. */
  readonly nameless: number;
}

/** Half a second's work. */
const MAX_LOOKED_AT = 80_000;

/** Looks at every n-th visitor of the days to come. */
export const estimateSupply = ({ days, matches, toRequest, takenAbove, most = MAX_LOOKED_AT }: EstimateOptions): Supply => {
  const total = days.reduce((sum, { requests }) => sum + requests.length, 0);
  const step = Math.max(1, Math.ceil(total / most));
  let [available, free, nameless] = [0, 0, 0];
  const visits: [number, number][] = [];
  const availableOn = new Map<string, number>();
  const byDay = days.map(({ day, requests, shiftMs, fromMs, untilMs, weight }) => {
    const ofDay = { day, available: 0, free: 0 };
    const byVisitor = new Map<string, [number, number]>();
    for (const [i, request] of requests.entries()) {
      const atMs = request.atMs + shiftMs;
      const isLookedAt = request.visitor === '' ? i % step === 0 : step === 1 || hashOf(request.visitor) % step === 0;
      if (!isLookedAt || atMs < fromMs || atMs >= untilMs) continue;
      const asked = toRequest({ request, atMs, copy: 0 });
      const stands = weight(request, atMs) * step;
      for (const imp of asked.imps) {
        if (!matches(asked, imp)) continue;
        ofDay.available += stands;
        availableOn.set(imp.placementId, (availableOn.get(imp.placementId) ?? 0) + stands);
        ofDay.free += stands * (1 - takenAbove(imp.placementId));
        if (request.visitor === '' || !request.isRemembered) nameless += stands;
        else {
          const visit = byVisitor.get(request.visitor) ?? [0, stands];
          visit[0]++;
          byVisitor.set(request.visitor, visit);
        }
      }
    }
    available += ofDay.available;
    free += ofDay.free;
    visits.push(...byVisitor.values());
    return ofDay;
  });
  return { available, free, availableOn, byDay, visits, nameless };
};

const hashOf = (text: string): number => {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash >>> 0;
};

/** The part of what is free that frequency caps leave. */
export const partUnderCaps = ({ visits, nameless, available }: Supply, caps: readonly FrequencyCap[]): number => {
  const own = caps.filter(({ of }) => of === 'impressions');
  if (own.length === 0 || available === 0) return 1;
  const allowed = visits.reduce((sum, [matches, weight]) => {
    const most = Math.min(matches, ...own.map(({ max, windowMs }) => max * Math.max(MS_PER_DAY / windowMs, 1 / VISITS_IN_WINDOW)));
    return sum + most * weight;
  }, 0);
  const all = visits.reduce((sum, [matches, weight]) => sum + matches * weight, 0);
  // Without a name, line items with a cap are not shown.
  return all === 0 ? 0 : (allowed / all) * (1 - nameless / available);
};
/** A longer window is as if its places were spread over so many days at most. */
const VISITS_IN_WINDOW = 7;

export interface LimitedBy {
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** What it has delivered. */
  readonly delivered: number;
  readonly spentMicros: number;
  readonly renderRate: number;
}

/** What a line item would get of a supply, day by day. */
export const deliveryOf = (supply: Supply, { lineItem, campaign, delivered, spentMicros, renderRate }: LimitedBy): readonly number[] => {
  const part = partUnderCaps(supply, lineItem.frequencyCaps) * renderRate;
  const price = laterPriceMicros(lineItem) ?? (lineItem.cpmMicros ?? 0) / 1000;
  const ofMoney = (micros: number | null): number => (micros === null || price === 0 ? Infinity : micros / price);
  const perDay = Math.min(
    lineItem.dailyImpressionCap ?? Infinity,
    ofMoney(lineItem.dailySpendCapMicros),
    ofMoney(campaign.dailyBudgetMicros),
  );
  const budgets = [lineItem.budgetMicros, campaign.budgetMicros].map((micros) =>
    ofMoney(micros === null ? null : Math.max(micros - spentMicros, 0)),
  );
  let left = Math.min(Math.max((lineItem.goals.impressions ?? Infinity) - delivered, 0), ...budgets);
  let daysLeft = deliveryDays(supply, commonFlight(lineItem.flight, campaign.flight).endMs);
  const isEven = lineItem.pacing !== 'ASAP' && left !== Infinity;
  const each = left / Math.max(daysLeft, 1);
  /** What is due by a day and not delivered yet. */
  let late = 0;
  return supply.byDay.map(({ available, free }) => {
    if (available > 0) late += each;
    const most = isEven ? Math.min(late, (left / Math.max(daysLeft, 1)) * CATCH_UP) : left;
    if (available > 0) daysLeft--;
    const got = Math.min(free * part, perDay, most, left);
    late -= got;
    left -= got;
    return got;
  });
};

/** Days on which there is something for a line item until its flight ends; after those that are forecast, as many in a week as among them. */
const deliveryDays = ({ byDay }: Supply, endMs: number): number => {
  const live = byDay.filter(({ available }) => available > 0).map(({ day }) => day);
  const [first = 0, last = 0, lastKnown = 0] = [live[0], live.at(-1), byDay.at(-1)?.day];
  const ahead = Math.max(Math.ceil(endMs / MS_PER_DAY) - 1 - lastKnown, 0);
  return live.length + ahead * (live.length / (last - first + 1));
};

/** What a day may make up for those before it. */
const CATCH_UP = 1.2;
