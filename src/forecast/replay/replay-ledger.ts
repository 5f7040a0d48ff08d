import { dayRuleText, UTC_DAYS } from '../../base/local-day.ts';
import { under } from '../../base/under.ts';
import type { PidGains } from '../../config/settings.ts';
import { adsOf, type RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { SharedRequest } from '../../ledger/allowances/allowances-options.ts';
import type { Reservation, ReservationMoments, ReservedImp } from '../../ledger/reservation.ts';
import type { ShownTogether } from '../../decision/shown-together.ts';
import { curveRecord } from '../../ledger/reserve/encode-reserve.ts';
import type { TrafficCurve } from '../../catalog/snapshot/traffic-curve.ts';
import { Account, createLedgerRules, FIELD, type CurveRecord } from './ledger-rules.ts';
import { createKnowCandidate, type KnownCandidate } from './known-candidate.ts';
import type { HitRates, StartedAccount } from './known-delivery.ts';
import { createReplayedPages } from './replayed-pages.ts';
import { createReplayedUsers, type ReplayedUser } from './replayed-users.ts';

export interface ReplayLedgerOptions {
  readonly pid: PidGains;
  readonly tokenTtlMs: number;
  /** Impressions of the world for which one of the replay stands: limits are divided by it. */
  readonly scale: number;
  readonly started: readonly StartedAccount[];
  readonly rates: HitRates;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly onImpression: (lineItemId: number, day: number) => void;
}

interface OpenRequest {
  readonly request: SharedRequest;
  readonly shown: ShownTogether;
  /** What one impression was refused by limits, the next one is too. */
  readonly limited: Map<KnownCandidate, NoBidReason>;
  readonly curve: CurveRecord;
  readonly day: number;
}

interface Hold {
  readonly endMs: number;
  readonly day: number;
  readonly account: Account;
  readonly campaign: Account;
  readonly micros: number;
}

/**
 * The accounts of one publisher in memory. Reservations are decided by the ledger's own rules (ledger-rules.ts). What an ad becomes is drawn when it is selected: it is seen,
 * perhaps clicked, or held until its token ends. That differs from the world by the seconds until an ad renders.
 */
export const createReplayLedger = (options: ReplayLedgerOptions) => {
  const { pid, tokenTtlMs, scale, started, rates, random, onImpression } = options;
  const users = createReplayedUsers();
  const rules = createLedgerRules<ReplayedUser>(users.frequency);
  const shownOn = createReplayedPages();
  const dayRules = new Map<string, unknown>();
  const startOf = new Map(started.map((one) => [one.account, one]));
  let accounts = new Map<string, Account>();
  let holds: Hold[] = [];
  let firstHold = 0;
  let now = 0;

  const opened = (name: string, day: number): Account => {
    let account = accounts.get(name);
    if (account === undefined) {
      account = Object.assign(Account.from(rules.account_new(day)) as Account, { name });
      const start = startOf.get(name);
      if (start) {
        account[FIELD.impressions] = start.todayImpressions / scale;
        account[FIELD.spend] = start.todayMicros / scale;
        account[FIELD.totalImpressions] = start.impressions / scale;
        account[FIELD.totalClicks] = start.clicks / scale;
        account[FIELD.totalSpend] = start.micros / scale;
      }
      accounts.set(name, account);
    }
    if (account[FIELD.day]! < day) rules.account_roll_over(account, day);
    return account;
  };

  const knownOf = createKnowCandidate(rules.candidate_record, scale);

  const curves = new WeakMap<TrafficCurve, CurveRecord>();
  const curveOf = (curve: TrafficCurve): CurveRecord => {
    let found = curves.get(curve);
    if (found === undefined) {
      const { hourStartMs, lengthMs, shareBefore, shareOfHour } = curveRecord(curve);
      const rule = under(dayRules, dayRuleText(curve.days ?? UTC_DAYS), rules.day_rule);
      found = { hour_start_ms: hourStartMs, length_ms: lengthMs, share_before: shareBefore, share_of_hour: shareOfHour, rule };
      curves.set(curve, found);
    }
    return found;
  };

  /** Counts an impression, and its click. */
  const show = (
    { record, lineItemId, billsOn, laterMicros, countedClicks }: KnownCandidate,
    both: readonly Account[],
    user: ReplayedUser | undefined,
  ): void => {
    const isClicked = random() < rates.clickRate(lineItemId);
    let micros = billsOn === 'impression' ? record.price_micros : 0;
    if (billsOn === 'click' && isClicked) micros = laterMicros;
    // Of completed views no rate is known either.
    if ((billsOn === 'viewable' || billsOn === 'complete') && random() < rates.viewableRate(lineItemId)) micros = laterMicros;
    for (const account of both) {
      account[FIELD.impressions]! += 1;
      account[FIELD.totalImpressions]! += 1;
      account[FIELD.spend]! += micros;
      account[FIELD.totalSpend]! += micros;
      if (!isClicked) continue;
      account[FIELD.clicks]! += 1;
      account[FIELD.totalClicks]! += 1;
    }
    if (isClicked && user) users.take(user, countedClicks, now);
    onImpression(lineItemId, both[0]![FIELD.day]!);
  };

  const hold = (account: Account, campaign: Account, micros: number, day: number, endMs: number): void => {
    for (const held of [account, campaign]) {
      held[FIELD.heldCount]! += 1;
      held[FIELD.holdCount]! += 1;
      held[FIELD.heldMicros]! += micros;
      held[FIELD.heldTotal]! += micros;
    }
    holds.push({ endMs, day, account, campaign, micros });
  };

  const release = ({ account, campaign, day, micros }: Hold): void => {
    const { call } = rules;
    for (const held of [account, campaign]) {
      held[FIELD.holdCount]! -= 1;
      held[FIELD.heldTotal]! -= micros;
      if (held[FIELD.day] !== day) continue;
      held[FIELD.heldCount]! -= 1;
      held[FIELD.heldMicros]! -= micros;
      call.released[held.name] = (call.released[held.name] ?? 0) + 1;
      call.released_micros[held.name] = (call.released_micros[held.name] ?? 0) + micros;
    }
  };

  const take = (found: KnownCandidate, account: Account, campaign: Account, user: ReplayedUser | undefined): void => {
    const { record, counted, lineItemId } = found;
    account[FIELD.serves]! += 1;
    campaign[FIELD.serves]! += 1;
    const isSeen = random() < rates.renderRate(lineItemId);
    if (user && counted) users.take(user, counted, isSeen ? now : now + tokenTtlMs, !isSeen);
    if (isSeen) show(found, [account, campaign], user);
    else hold(account, campaign, record.holds_price ? record.price_micros : 0, account[FIELD.day]!, now + tokenTtlMs);
    if (rules.pacing_applies(record)) rules.pacing_take(account, campaign, record, 1);
    if (record.rate_per_second >= 0) {
      account[FIELD.rateTokens] = Math.max(rules.limits_rate_tokens(account, record, now) - 1, 0);
      account[FIELD.rateAt] = now;
    }
  };

  /** What a call changes is kept only where it marks it. */
  const touched: Account[] = [];
  let calls = 0;
  const open = (account: Account): void => {
    if (account.open(calls, rules.call)) touched.push(account);
  };

  const momentsOf = (day: number): ReservationMoments => ({
    ...{ tokenExpS: Math.ceil((now + tokenTtlMs) / 1000), holdEndMs: now + tokenTtlMs, day },
  });
  const boundTo = (ad: RankedCandidate | undefined, day: number): ReservedImp => ({
    ...{ winner: -1, bound: ad, moments: momentsOf(day), refused: [], granted: undefined },
  });

  const reserveImp = (candidates: readonly RankedCandidate[], { request, shown, limited, curve, day }: OpenRequest): ReservedImp => {
    const refused: NoBidReason[] = [];
    const user = request.userHash === null ? undefined : users.of(request.userHash);
    for (const [winner, candidate] of candidates.entries()) {
      const found = knownOf(candidate, request);
      const before = limited.get(found);
      if (before !== undefined) {
        refused.push(before);
        continue;
      }
      const account = opened(found.record.line_item, day);
      const campaign = opened(found.record.campaign, day);
      users.now = now;
      open(account);
      open(campaign);
      const alone = shown.refusalOf(candidate);
      const [reason, isSampled] =
        alone === undefined ? rules.limits_refusal(account, campaign, found.record, user, now, curve, pid) : [alone];
      if (isSampled === true || reason === undefined) {
        account.mark();
        campaign.mark();
      }
      if (reason === undefined) {
        shown.add(candidate);
        for (let ad = 0; ad < adsOf(candidate); ad++) take(found, account, campaign, user);
        return { winner, moments: momentsOf(day), refused, granted: undefined };
      }
      if (alone === undefined) limited.set(found, reason as NoBidReason);
      refused.push(reason as NoBidReason);
    }
    return { winner: -1, moments: undefined, refused, granted: undefined };
  };

  return {
    reserve: (request: SharedRequest): Promise<Reservation> => {
      const curve = curveOf(request.curve);
      const day = rules.day_of(curve.rule, now);
      calls++;
      /** The ads of roadblocks that have won, by impression. */
      const bound = new Map<number, RankedCandidate>();
      const page: OpenRequest = { request, shown: shownOn(request.pageView), limited: new Map(), curve, day };
      const imps = request.imps.map((candidates, i): ReservedImp => {
        const reserved = bound.has(i) ? boundTo(bound.get(i), day) : reserveImp(candidates, page);
        for (const ad of candidates[reserved.winner]?.block?.bound ?? []) bound.set(ad.imp, ad.candidate);
        return reserved;
      });
      for (const account of touched) account.close(rules.call);
      touched.length = 0;
      return Promise.resolve({ imps });
    },
    /** The clock of the replay. Holds that have ended are released. */
    advance: (nowMs: number): void => {
      now = nowMs;
      while (firstHold < holds.length && holds[firstHold]!.endMs <= now) release(holds[firstHold++]!);
      if (firstHold < MAX_ENDED) return;
      holds = holds.slice(firstHold);
      firstHold = 0;
    },
    /** Counts begin anew at what had been delivered; what users have seen stays. */
    restart: (nowMs: number): void => {
      now = nowMs;
      accounts = new Map();
      holds = [];
      firstHold = 0;
      rules.call.released = {};
      rules.call.released_micros = {};
    },
  };
};

const MAX_ENDED = 10_000;
