import { countedCaps } from '../../src/ledger/frequency-counters.ts';
import type { RowChange } from '../../src/events/postgres/refilter-store.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { NOT_USED, PROVISIONAL } from '../../src/ledger/hit.ts';
import { createClickers, type Clickers } from './clickers.ts';
import { hitKey } from './hit-key.ts';
import type { LoggedEvent, Lost } from './system.ts';
import type { Selected } from './replica.ts';
import { boundsOf, COMPLETE_VIEW, heldPrice, holdSlackMs, laterBill, orderFault, RELEASE_MARGIN_MS, type Bounds } from './rules.ts';

/** A broken rule. `rule` is what a shorter story must break as well. */
export interface Violation {
  readonly rule: string;
  readonly text: string;
}

/** A selection as the rules know it. */
export interface Ad extends Selected {
  readonly step: number;
  /** By Redis's clock. */
  readonly selectedAtMs: number;
  readonly bounds: Bounds;
  readonly price: number;
  /** What bills after the impression. */
  readonly later: ReturnType<typeof laterBill>;
  /** Its hold must be gone when Redis's clock and the fold horizon have passed this. */
  readonly releasedByMs: number;
  /** True time at which its impression was acknowledged first. */
  seenAtMs: number | undefined;
  /** The impression is in the event stream. */
  counted: boolean;
  /** Its player has said that it is not used, before its impression: nothing is held for it, and its impression counts no more. */
  released: boolean;
  /** Its complete view is in the event stream. */
  completed: boolean;
  /** It was filtered later. */
  filteredLater: boolean;
  /** The impression was accepted by Postgres and not yet folded. */
  waiting: boolean;
  /** Redis has lost what only it knew of the ad: its place under a frequency cap, and that its client holds it. */
  forgotten: boolean;
}

/** Counts of a line item or campaign by the events, over the flight and by day of selection. */
export interface Sums {
  impressions: number;
  clicks: number;
  spend: number;
  readonly byDay: Map<number, { impressions: number; spend: number }>;
}

/** Ads of a line item, a campaign, an advertiser or a publisher. */
export type AdsOf = 'l' | 'c' | 'a' | 'p';

/** Everything that has happened, as a client and an auditor of the event stream see it. */
export interface Model {
  readonly ads: readonly Ad[];
  adsOf(kind: AdsOf, id: number): readonly Ad[];
  adsOfStep(step: number): readonly Ad[];
  /** Keys: of line items and campaigns, `l<id>` and `c<id>`; of accounts, `<publisher> l<id>`. */
  sums(key: string): Sums;
  /** Events by their key. */
  readonly logged: ReadonlyMap<string, LoggedEvent>;
  readonly acknowledged: ReadonlySet<string>;
  isRefiltered(tokenId: string): boolean;
  /** A hit that was acknowledged counts no more, since its ad was not used. */
  isReleased(key: string): boolean;
  /**
   * Hits after an impression that were counted or filtered against the rules; ask when every hit has been settled.
   * `isForgetful`: Redis has lost what it knew of visitors.
   */
  misjudged(isForgetful: boolean): readonly Violation[];
  readonly activity: Clickers['counts'];
  /** The click of the ad is under judgement. */
  isProvisional(ad: Ad): boolean;
  readonly waiting: ReadonlySet<string>;
  /** `isKept`: they are reserved, and no page has them yet. */
  select(
    selected: readonly Selected[],
    at: { readonly step: number; readonly redisMs: number; readonly ttlMs: number; readonly isKept?: boolean },
  ): readonly Ad[];
  /** What was kept is shown: as another ad. */
  drop(kept: Ad): void;
  /** Notes a hit that was sent. Returns whether it was sent before. */
  send(key: string): boolean;
  isSent(key: string): boolean;
  acknowledge(key: string, atMs: number): void;
  /** Postgres accepted the hit. */
  store(key: string): void;
  /** @param redisMs of Redis's clock now */
  log(events: readonly LoggedEvent[], redisMs: number): readonly Violation[];
  /** These hits wait for their impression in Redis. */
  noteWaiting(keys: ReadonlySet<string>): void;
  /**
   * Redis has lost what neither it nor Postgres has. Events that were acknowledged come again, but those of hits that have
   * waited for their impression: no replica need remember them so long.
   */
  lose(lost: Lost & { readonly forgets: boolean }): void;
  /** Another epoch has begun: a click that is under judgement now, and has no row when it is due, is settled again rather than judged. */
  beginEpoch(): void;
  /** A stored hit was filtered, or is settled again. */
  refilter(change: RowChange): readonly Violation[];
  /** The smallest frequency window that the line item has had. */
  minWindowMs(lineItemId: number): number;
  /** The loosest limit that a booking has had: an edit may raise it after the ad was selected. */
  loosest(limit: LooseLimit, id: number): number;
  /** Notes the limits of a snapshot. */
  note(snapshot: Pick<Snapshot, 'lineItems' | 'campaigns'>): void;
}

export type LooseLimit = 'budget' | 'dailySpend' | 'campaignBudget' | 'campaignDaily' | 'dailyImpressions' | 'goal';

export const createModel = (): Model => {
  const ads: Ad[] = [];
  const byId = new Map<string, Ad>();
  const groups = new Map<string, Ad[]>();
  const sums = new Map<string, Sums>();
  const logged = new Map<string, LoggedEvent>();
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  const waiting = new Set<string>();
  const waitedInRedis = new Set<string>();
  const refiltered = new Set<string>();
  /** The time of a publisher does not step back with Redis's clock. */
  let latestMs = 0;
  /** An ad that holds nothing, or no longer does, has nothing to give back, and its impression counts. */
  const isReleased = ({ counted }: Ad, { hit, atMs }: LoggedEvent): boolean => !counted && hit.ad.holdEndMs > Math.max(latestMs, atMs);
  /** Events that a loss has taken. */
  const taken = new Map<string, LoggedEvent>();
  const windows = new Map<number, number>();
  const loosest = new Map<string, number>();
  const clickers = createClickers();
  const noteLimit = (limit: LooseLimit, id: number, micros: number | null): void => {
    const key = `${limit} ${id}`;
    loosest.set(key, Math.max(loosest.get(key) ?? 0, micros ?? Infinity));
  };

  const groupOf = (key: string): Ad[] => {
    let group = groups.get(key);
    if (!group) groups.set(key, (group = []));
    return group;
  };
  const groupsOf = ({ ad: { publisherId, lineItemId, campaignId }, campaign: { advertiserId } }: Ad): readonly Ad[][] =>
    [`p${publisherId}`, `l${lineItemId}`, `c${campaignId}`, ...(advertiserId === null ? [] : [`a${advertiserId}`])].map(groupOf);
  const sumsOf = (key: string): Sums => {
    let found = sums.get(key);
    if (!found) sums.set(key, (found = { impressions: 0, clicks: 0, spend: 0, byDay: new Map() }));
    return found;
  };
  /** The ad of an impression that counts. */
  const adOfImpression = (key: string): Ad | undefined => {
    const [tokenId = '', label] = key.split(' ');
    return label === 'impression' ? byId.get(tokenId) : undefined;
  };
  const add = (key: string, day: number, impressions: number, spend: number): void => {
    const total = sumsOf(key);
    const ofDay = total.byDay.get(day) ?? { impressions: 0, spend: 0 };
    total.byDay.set(day, ofDay);
    for (const counts of [total, ofDay]) {
      counts.impressions += impressions;
      counts.spend += spend;
    }
  };

  const addFor = ({ ad: { publisherId, lineItemId, campaignId, day } }: Ad, impressions: number, spend: number): void => {
    for (const of of [`l${lineItemId}`, `c${campaignId}`]) {
      for (const of2 of [of, `${publisherId} ${of}`]) add(of2, day, impressions, spend);
    }
  };

  const addClicks = ({ ad: { publisherId, lineItemId, campaignId } }: Ad, clicks: number): void => {
    for (const of of [`l${lineItemId}`, `c${campaignId}`]) for (const key of [of, `${publisherId} ${of}`]) sumsOf(key).clicks += clicks;
  };

  const refilterOne = ({ row: { jti, kind, eventType, screened }, reason }: RowChange): readonly Violation[] => {
    const own = `${jti} ${kind}${eventType && `:${eventType}`}`;
    const key = screened ? `${own}!` : own;
    const [event, ad] = [logged.get(key), byId.get(jti)];
    if (!event) return [{ rule: 'refilter', text: `${key} was never counted` }];
    refiltered.add(jti);
    if (reason === null) {
      // Its row is gone, and an older copy of Redis brings it again: it is then filtered beside what was restored.
      if (screened) taken.set(key, event);
      logged.delete(key);
      acknowledged.delete(key);
      sent.add(own);
      waiting.add(own);
      return [];
    }
    logged.set(key, { ...event, reason, billedMicros: 0 });
    if (ad && event.reason === '') {
      addFor(ad, kind === 'impression' ? -1 : 0, -event.billedMicros);
      if (kind === 'click') addClicks(ad, -1);
      if (kind === 'impression') ad.filteredLater = true;
    }
    return [];
  };

  const wait = (key: string): void => {
    waiting.add(key);
    const ad = adOfImpression(key);
    if (ad) ad.waiting = true;
  };

  const unlog = (key: string, event: LoggedEvent): void => {
    logged.delete(key);
    const ad = byId.get(event.hit.ad.tokenId);
    if (!ad || event.reason !== '') return;
    const isImpression = event.hit.kind === 'impression';
    addFor(ad, isImpression ? -1 : 0, -event.billedMicros);
    if (event.hit.kind === 'click') addClicks(ad, -1);
    if (isImpression) ad.counted = false;
    if (isCompleteView(event)) ad.completed = false;
    if (isNotUsed(event)) ad.released = false;
  };

  /** Clicks that came under judgement in an earlier epoch. */
  const earlier = new WeakSet<LoggedEvent>();

  /** An event that an earlier loss took, or a judgement, is there again, with an older copy of Redis. */
  const relog = (key: string, event: LoggedEvent): void => {
    logged.set(key, event);
    waiting.delete(key);
    const ad = byId.get(event.hit.ad.tokenId);
    if (!ad || event.reason !== '') return;
    const isImpression = event.hit.kind === 'impression';
    addFor(ad, isImpression ? 1 : 0, event.billedMicros);
    if (event.hit.kind === 'click') addClicks(ad, 1);
    if (isImpression) Object.assign(ad, { counted: true, waiting: false });
    if (isCompleteView(event)) ad.completed = true;
    if (isNotUsed(event)) ad.released = isReleased(ad, event);
  };

  const logOne = (event: LoggedEvent): readonly Violation[] => {
    const key = hitKey(event.hit);
    const ad = byId.get(event.hit.ad.tokenId);
    const before = logged.get(key);
    clickers.note(key, event);
    if (before?.reason === PROVISIONAL && (event.isJudged || ad?.forgotten || earlier.has(before))) logged.delete(key);
    else if (event.isJudged && !ad?.forgotten)
      return [{ rule: 'judged once', text: `${key} was judged and is ${before?.reason ?? 'unknown'}` }];
    // An older copy may carry again what has its row; the row and the account count it once.
    if (logged.has(key)) return ad?.forgotten ? [] : [{ rule: 'once', text: `${key} was counted twice` }];
    if (!sent.has(key)) return [{ rule: 'once', text: `${key} was counted and never sent` }];
    logged.set(key, event);
    waiting.delete(key);
    if (!ad) return [];
    const isImpression = adOfImpression(key) !== undefined && event.reason === '';
    // One that is restored had come first, was filtered, and has found room beside what is delivered and held.
    const mustNotCount = ad.released && !ad.forgotten && !refiltered.has(event.hit.ad.tokenId);
    if (isImpression && mustNotCount) return [{ rule: 'released', text: `${key} was counted after its ad was not used` }];
    if (isImpression) {
      ad.counted = true;
      ad.filteredLater = false;
      ad.waiting = false;
    }
    if (isCompleteView(event) && event.reason === '') ad.completed = true;
    if (isNotUsed(event) && event.reason === '') ad.released = isReleased(ad, event);
    addFor(ad, isImpression ? 1 : 0, event.billedMicros);
    if (event.hit.kind === 'click' && event.reason === '') addClicks(ad, 1);
    return checkBill(ad, event, isImpression);
  };

  return {
    ads,
    logged,
    acknowledged,
    waiting,
    isRefiltered: (tokenId) => refiltered.has(tokenId),
    isReleased: (key) => adOfImpression(key)?.released === true,
    adsOf: (kind, id) => groups.get(kind + id) ?? [],
    adsOfStep: (step) => groups.get(`step ${step}`) ?? [],
    sums: sumsOf,
    select: (selected, { step, redisMs, ttlMs, isKept = false }) =>
      selected.map((one) => {
        const ad: Ad = {
          ...one,
          step,
          selectedAtMs: redisMs,
          bounds: boundsOf(one),
          price: heldPrice(one),
          later: laterBill(one),
          releasedByMs: one.ad.tokenExpS * 1000 + holdSlackMs(ttlMs) + RELEASE_MARGIN_MS,
          seenAtMs: undefined,
          counted: false,
          released: false,
          completed: false,
          filteredLater: false,
          waiting: false,
          forgotten: false,
        };
        ads.push(ad);
        byId.set(ad.ad.tokenId, ad);
        if (!isKept) groupOf(`step ${step}`).push(ad);
        for (const group of groupsOf(ad)) group.push(ad);
        return ad;
      }),
    drop: (kept) => {
      byId.delete(kept.ad.tokenId);
      for (const group of [ads, ...groupsOf(kept)]) group.splice(group.indexOf(kept), 1);
    },
    isSent: (key) => sent.has(key),
    send: (key) => {
      const before = sent.has(key);
      sent.add(key);
      return before;
    },
    acknowledge: (key, atMs) => {
      acknowledged.add(key);
      const ad = adOfImpression(key);
      if (ad) ad.seenAtMs ??= atMs;
    },
    store: (key) => {
      if (!logged.has(key)) wait(key);
    },
    log: (events, redisMs) => {
      latestMs = Math.max(latestMs, redisMs);
      return events.flatMap(logOne);
    },
    refilter: refilterOne,
    noteWaiting: (keys) => {
      for (const key of keys) waitedInRedis.add(key);
    },
    lose: ({ kept, gone, forgets }) => {
      for (const ad of ads) ad.forgotten ||= forgets;
      const lost = [...logged].filter(([key]) => !kept.has(key));
      const isUnderJudgement = (key: string): boolean => logged.get(key)?.reason === PROVISIONAL;
      for (const [key, event] of taken) {
        const isBack = logged.has(key) ? isUnderJudgement(key) && kept.get(key) === 'final' : kept.has(key);
        if (isBack) relog(key, event);
      }
      // Its row says that the click is under judgement: it is settled again.
      for (const [key, event] of logged) {
        if (kept.get(key) !== 'provisional' || event.reason === PROVISIONAL) continue;
        taken.set(key, event);
        unlog(key, event);
        logged.set(key, { ...event, reason: PROVISIONAL, billedMicros: 0 });
      }
      for (const [key, event] of lost) {
        taken.set(key, event);
        unlog(key, event);
      }
      for (const key of [...gone, ...lost.map(([key]) => key).filter((key) => waitedInRedis.has(key))]) acknowledged.delete(key);
      for (const key of acknowledged) if (!logged.has(key)) wait(key);
    },
    beginEpoch: () => {
      for (const event of logged.values()) if (event.reason === PROVISIONAL) earlier.add(event);
    },
    activity: clickers.counts,
    isProvisional: ({ ad }) => logged.get(`${ad.tokenId} click`)?.reason === PROVISIONAL,
    misjudged: (isForgetful) =>
      [...logged].flatMap(([key, event]) => {
        const { hit, reason, atMs } = event;
        // The stored hits of a token that was filtered again are judged there (refilter.ts).
        const isClick = hit.kind === 'click';
        if (!(isClick || isBillingView(hit)) || hit.invalidReason !== '' || refiltered.has(hit.ad.tokenId)) return [];
        const seenAtMs = logged.get(`${hit.ad.tokenId} impression`)?.atMs;
        const due = orderFault(isClick, atMs, hit.ad.servedAtMs, seenAtMs);
        const text = `${key} at ${atMs}, served at ${hit.ad.servedAtMs}, seen at ${seenAtMs}, is ${reason || 'counted'} instead of ${due || 'counted'}`;
        const fault = due === '' && isClick ? clickers.faultOf(key, event, { isForgetful }) : undefined;
        if (fault !== undefined) return [{ rule: 'activity', text: `${key} at ${atMs} is ${reason || 'counted'}: ${fault}` }];
        return reason === due || (due === '' && reason === 'activity') ? [] : [{ rule: 'click', text }];
      }),
    minWindowMs: (lineItemId) => windows.get(lineItemId) ?? 0,
    loosest: (limit, id) => loosest.get(`${limit} ${id}`) ?? Infinity,
    note: ({ lineItems, campaigns }) => {
      for (const lineItem of lineItems.values()) {
        const { id, budgetMicros, dailySpendCapMicros, dailyImpressionCap, goals } = lineItem;
        const campaign = campaigns.get(lineItem.campaignId);
        for (const { counter, windowMs } of (campaign && countedCaps({ lineItem, campaign })) ?? [])
          windows.set(counter, Math.min(windows.get(counter) ?? Infinity, windowMs));
        noteLimit('budget', id, budgetMicros);
        noteLimit('dailySpend', id, dailySpendCapMicros);
        noteLimit('dailyImpressions', id, dailyImpressionCap);
        noteLimit('goal', id, goals.impressions);
      }
      for (const { id, budgetMicros, dailyBudgetMicros } of campaigns.values()) {
        noteLimit('campaignBudget', id, budgetMicros);
        noteLimit('campaignDaily', id, dailyBudgetMicros);
      }
    },
  };
};

const isBillingView = ({ kind, eventType, ad }: LoggedEvent['hit']): boolean => kind === 'event' && eventType === ad.billsOn;
const isNotUsed = ({ hit: { kind, eventType } }: LoggedEvent): boolean => kind === 'event' && eventType === NOT_USED;
const isCompleteView = ({ hit }: LoggedEvent): boolean => isBillingView(hit) && hit.ad.billsOn === 'complete';

/** Whether the price of an ad that was reserved is held, if its hold has not ended. */
export const holdsPrice = ({ counted, completed, released, later }: Ad): boolean =>
  !released && (!counted || (later.hit === COMPLETE_VIEW && !completed));

/**
 * Whether it may be held although the impression has counted: an ad that was kept for its page at a price, and is shown after its
 * line item began to bill clicks or viewable events, has its money until the hold ends.
 */
export const mayKeepPrice = ({ released, later, keptMicros = 0 }: Ad): boolean =>
  !released && keptMicros > 0 && later.hit !== '' && later.hit !== COMPLETE_VIEW;

/** An impression bills what was held for it; what bills after it at most its price; everything else nothing. */
const checkBill = ({ ad, price, later }: Ad, { hit, reason, billedMicros }: LoggedEvent, isImpression: boolean): readonly Violation[] => {
  const what = `the ${hit.kind} of ${ad.tokenId} (line item ${ad.lineItemId})`;
  if (later.hit === `${hit.kind}${hit.eventType && `:${hit.eventType}`}` && reason === '') {
    return billedMicros < 0 || billedMicros > later.price
      ? [{ rule: 'bill', text: `${what} billed ${billedMicros} of at most ${later.price} micros` }]
      : [];
  }
  const due = isImpression && later.hit === '' ? price : 0;
  return billedMicros === due ? [] : [{ rule: 'bill', text: `${what} billed ${billedMicros} micros instead of ${due}` }];
};
