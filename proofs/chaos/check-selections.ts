import { groupBy } from '../../src/base/group-by.ts';
import { MS_PER_HOUR } from '../../src/base/utc-day.ts';
import { holdsPrice, type Ad, type AdsOf, type Model, type Violation } from './model.ts';
import type { AccountRef } from './operator.ts';
import { MAX_SKEW_MS, type Bounds } from './rules.ts';
import type { LoggedEvent } from './system.ts';

/**
 * Whether the limits allowed the ads that one step selected. Of everything before, only what certainly takes part of a
 * limit is counted: acknowledged impressions, and ads whose token can still be used. The ads of the step are taken in
 * the order that breaks fewest limits, because their order is not known.
 */
export const checkSelections = (model: Model, taken: readonly Ad[], redisMs: number): readonly Violation[] => {
  const found: Violation[] = [];
  const fresh = new Set(taken);
  const isHeld = (ad: Ad): boolean => ad.reserved && !ad.released && (ad.waiting || redisMs <= ad.ad.tokenExpS * 1000);
  const counts = (ad: Ad): boolean => !fresh.has(ad) && (isDelivered(ad) || isHeld(ad));
  const open = (ad: Ad): boolean => !fresh.has(ad) && isHeld(ad) && holdsPrice(ad);
  const sum = (ads: readonly Ad[], value: (ad: Ad) => number): number => ads.reduce((total, ad) => total + value(ad), 0);

  /** `used` of a limit before the step; each ad takes `amount`. */
  const check = (
    rule: string,
    ads: readonly Ad[],
    limitOf: (bounds: Bounds) => number | null,
    used: number,
    amount: (ad: Ad) => number,
  ): void => {
    const limited = ads.flatMap((ad) => {
      const limit = limitOf(ad.bounds);
      // What bills later holds no money, so a lot that was reserved while a micro was left may outlive it. Its hits bill nothing then.
      const isFree = ad.price === 0 && (ad.later.price === 0 || ad.fromLots);
      return limit === null || !ad.reserved || (rule !== 'cap' && isFree) ? [] : [{ ad, limit }];
    });
    let total = used;
    for (const { ad, limit } of limited.sort((a, b) => a.limit - b.limit)) {
      total += amount(ad);
      // What bills later has no price yet, and needs a micro that is left.
      if (total + (rule !== 'cap' && ad.price === 0 ? 1 : 0) > limit) {
        found.push({ rule, text: `line item ${ad.ad.lineItemId} was selected (${ad.ad.tokenId}) with ${total} of ${limit} taken` });
        return;
      }
    }
  };

  for (const [key, ads] of groupBy(taken, ({ ad }) => `${ad.lineItemId} ${ad.day}`)) {
    const [lineItemId = 0, day] = key.split(' ').map(Number);
    const before = model.adsOf('l', lineItemId).filter(({ ad }) => ad.day === day);
    check(
      'cap',
      ads,
      ({ dailyImpressions }) => dailyImpressions,
      before.filter(counts).length,
      () => 1,
    );
    const spent = model.sums(`l${lineItemId}`).byDay.get(day ?? 0)?.spend ?? 0;
    const held = sum(before.filter(open), ({ price }) => price);
    check(
      'daily spend',
      ads,
      ({ dailySpend }) => dailySpend,
      spent + held,
      ({ price }) => price,
    );
  }
  for (const [id, ads] of groupBy(taken, ({ ad }) => ad.lineItemId)) {
    check(
      'cap',
      ads,
      ({ goal }) => goal,
      model.adsOf('l', id).filter(counts).length,
      () => 1,
    );
    const used = model.sums(`l${id}`).spend + sum(model.adsOf('l', id).filter(open), ({ price }) => price);
    check(
      'budget',
      ads,
      ({ budget }) => budget,
      used,
      ({ price }) => price,
    );
  }
  for (const [id, ads] of groupBy(taken, ({ ad }) => ad.campaignId)) {
    const used = model.sums(`c${id}`).spend + sum(model.adsOf('c', id).filter(open), ({ price }) => price);
    check(
      'campaign budget',
      ads,
      ({ campaignBudget }) => campaignBudget,
      used,
      ({ price }) => price,
    );
  }
  for (const [key, ads] of groupBy(taken, ({ ad }) => `${ad.campaignId} ${ad.day}`)) {
    const [campaignId = 0, day = 0] = key.split(' ').map(Number);
    const held = model.adsOf('c', campaignId).filter((ad) => ad.ad.day === day && open(ad));
    check(
      'campaign daily budget',
      ads,
      ({ campaignDaily }) => campaignDaily,
      (model.sums(`c${campaignId}`).byDay.get(day)?.spend ?? 0) + sum(held, ({ price }) => price),
      ({ price }) => price,
    );
  }
  return [...found, ...checkFrequency(model, taken, redisMs), ...checkClickCaps(model, taken, redisMs)];
};

/** Whether no ad was reserved from an account that is set aside, or is to be. A lot may have been reserved before that. */
export const checkSetAside = (taken: readonly Ad[], isDamaged: (of: AccountRef) => boolean): readonly Violation[] =>
  taken.flatMap(({ ad: { publisherId, lineItemId, campaignId, tokenId }, reserved, fromLots }) =>
    reserved &&
    !fromLots &&
    (isDamaged({ publisherId, kind: 'l', id: lineItemId }) || isDamaged({ publisherId, kind: 'c', id: campaignId }))
      ? [{ rule: 'set aside', text: `line item ${lineItemId} was selected (${tokenId}) from a damaged account` }]
      : [],
  );

/** The place of an ad whose impression waits in Postgres is kept for so long after its end (src/ledger/lua/frequency.lua). */
const HELD_KEPT_MS = MS_PER_HOUR;

const checkFrequency = (model: Model, taken: readonly Ad[], redisMs: number): readonly Violation[] => {
  const found: Violation[] = [];
  const limited = taken.flatMap((ad) => (ad.ad.userHash === null ? [] : ad.bounds.caps.map((cap) => ({ ad, cap }))));
  for (const [key, of] of groupBy(limited, ({ ad: { ad }, cap }) => `${cap.counter} ${cap.windowMs} ${ad.publisherId} ${ad.userHash}`)) {
    const [{ ad: first, cap }] = of as [(typeof of)[number]];
    const { counter, windowMs } = cap;
    const takesPlace = (ad: Ad): boolean => {
      const keptMs = keptOf(ad, counter);
      if (keptMs === undefined || ad.forgotten || ad.released) return false;
      const { seenAtMs, selectedAtMs, counted, waiting, reserved } = ad;
      const withinMs = Math.min(windowMs, keptMs);
      if (waiting && redisMs > ad.ad.tokenExpS * 1000 + HELD_KEPT_MS - MAX_SKEW_MS) return false;
      if (seenAtMs !== undefined && (counted || waiting)) return redisMs < seenAtMs + withinMs - MAX_SKEW_MS;
      return reserved && !ad.hasPlaceOfOther && redisMs < Math.min(ad.ad.tokenExpS * 1000, selectedAtMs + withinMs) - MAX_SKEW_MS;
    };
    const isBefore = (ad: Ad): boolean => isOfUser(ad, first) && !taken.includes(ad) && takesPlace(ad);
    const before = model.adsOf(...ownerOf(counter)).filter(isBefore).length;
    // Two caps of an ad may be of one counter: of a campaign without an advertiser, that of the campaign is also that of the advertiser.
    const maxOf = new Map<Ad, number>();
    for (const { ad, cap: one } of of) maxOf.set(ad, Math.min(one.max, maxOf.get(ad) ?? Infinity));
    const broken = [...maxOf.values()].sort((a, b) => a - b).find((max, i) => before + i + 1 > max);
    if (broken !== undefined) {
      const text = `${key.split(' ')[3]} got an ad of counter ${counter} with ${before} of ${broken} places taken (window ${windowMs / 1000} s)`;
      found.push({ rule: 'frequency', text });
    }
  }
  return found;
};

/** Whether no user got an ad after as many clicks as allowed. Clicks that were judged later took their place then. */
const checkClickCaps = (model: Model, taken: readonly Ad[], redisMs: number): readonly Violation[] =>
  taken.flatMap((one) =>
    (one.ad.userHash === null ? [] : one.bounds.clickCaps).flatMap(({ counter, max, windowMs }) => {
      const clicks = model.adsOf(...ownerOf(counter - CLICK_COUNTERS)).filter((ad) => {
        const click = model.logged.get(`${ad.ad.tokenId} click`);
        const isCounted = click?.reason === '' && !click.isJudged && !ad.forgotten && !model.isRefiltered(ad.ad.tokenId);
        const keptMs = keptOf(ad, counter) ?? 0;
        return isCounted && isOfUser(ad, one) && redisMs < click.atMs + Math.min(windowMs, keptMs) - MAX_SKEW_MS;
      }).length;
      const text = `${one.ad.userHash} got ${one.ad.tokenId} after ${clicks} of ${max} clicks of counter ${counter} (window ${windowMs / 1000} s)`;
      return clicks >= max ? [{ rule: 'clicks of a user', text }] : [];
    }),
  );

const isOfUser = ({ ad }: Ad, { ad: { publisherId, userHash } }: Ad): boolean => ad.publisherId === publisherId && ad.userHash === userHash;

/** For how long an ad counts in a counter, by its token; undefined: it does not. */
const keptOf = ({ ad: { counted = [] } }: Ad, counter: number): number | undefined => {
  const at = counted.findIndex((value, i) => i % 2 === 0 && value === counter);
  return at < 0 ? undefined : counted[at + 1]! * 1000;
};

/** Whose ads a counter counts. */
const ownerOf = (counter: number): readonly [AdsOf, number] =>
  OWNERS.map((kind, i) => [kind, counter - i * KIND_OF_COUNTERS] as const).findLast(([, id]) => id >= 0)!;
const OWNERS = ['l', 'c', 'a'] as const;
const KIND_OF_COUNTERS = 2 ** 32;
const CLICK_COUNTERS = 3 * KIND_OF_COUNTERS;

/** An impression that is filtered later gives back what it took of a cap. */
const isDelivered = ({ counted, filteredLater }: Ad): boolean => counted && !filteredLater;

/** Whether impressions and bills stayed within the loosest limit that applied to them. */
export const checkOvershoot = (model: Model, events: readonly LoggedEvent[]): readonly Violation[] => {
  const found: Violation[] = [];
  const check = (rule: string, what: string, used: number, limit: number): void => {
    if (used > limit) found.push({ rule, text: `${what}: ${used} of ${limit}` });
  };
  for (const id of new Set(events.map(({ hit }) => hit.ad.campaignId))) {
    const { spend, byDay } = model.sums(`c${id}`);
    check('overspend', `campaign ${id} billed micros`, spend, model.loosest('campaignBudget', id));
    for (const ofDay of byDay.values())
      check('overspend', `campaign ${id} billed micros in a day`, ofDay.spend, model.loosest('campaignDaily', id));
  }
  for (const id of new Set(events.map(({ hit }) => hit.ad.lineItemId))) {
    const { spend, impressions, byDay } = model.sums(`l${id}`);
    check('overspend', `line item ${id} billed micros`, spend, model.loosest('budget', id));
    check('overdelivery', `line item ${id} impressions of the flight`, impressions, model.loosest('goal', id));
    for (const [day, ofDay] of byDay) {
      check('overspend', `line item ${id} billed micros in a day`, ofDay.spend, model.loosest('dailySpend', id));
      const ads = model.adsOf('l', id).filter(({ ad }) => ad.day === day);
      // What was filtered is restored by the limits of then.
      const least = ads.some(({ ad }) => model.isRefiltered(ad.tokenId)) ? model.loosest('dailyImpressions', id) : 0;
      const cap = ads.reduce((most, { bounds }) => Math.max(most, bounds.dailyImpressions ?? Infinity), least);
      const delivered = ads.filter((ad) => ad.reserved && isDelivered(ad)).length;
      check('overdelivery', `line item ${id} impressions of a day`, delivered, cap);
    }
  }
  return found;
};
