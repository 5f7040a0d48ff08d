import { endOfDay, type DayRule } from '../../base/local-day.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { isCountedForCaps } from '../frequency-counters.ts';
import { accountField } from '../ledger-keys.ts';
import { isUnbounded } from '../limits.ts';
import type { GrantedLots, ReservationMoments, WantedLots } from '../reservation.ts';
import type { LotReport } from './report-lots.ts';

/** What becomes of ads that were reserved as a lot. */
export type StockReport = Omit<LotReport, 'publisherId' | 'expiresAtMs'>;

export interface StockOptions {
  /** How long its ads are held: the life of a token, or less in an auction. */
  readonly heldMs: number;
  readonly tokenTtlMs: number;
  /** The spare is for the requests of this time; 0: no spare. */
  readonly reserveMs: number;
}

/** Ads that were reserved together. */
interface Lot {
  left: number;
  readonly day: number;
  readonly holdEndMs: number;
  /** When the call that reserved them was sent, and Redis's later clock when it ran. */
  readonly sentMs: number;
  readonly redisMs: number;
  /** From then on they may not be handed out: their tokens would outlive the hold, or the day is over. */
  readonly untilMs: number;
  readonly isPaced: boolean;
}

/** Whether ads of a candidate may be reserved before their requests: whose they are does not matter. */
export const isShareable = (candidate: RankedCandidate): boolean =>
  candidate.bid < 0 && candidate.block === undefined && candidate.lineItem.rateLimit === null && !isCountedForCaps(candidate);

/** Demand is averaged over about this time. */
const DEMAND_MS = 5_000;
/** A lot is for the requests of this time … */
const LOT_MS = 1_000;
/** … and is returned after this. */
const MAX_IDLE_MS = 2_000;

/**
 * The ads of one line item that a replica may hand out by itself: lots for now, a spare for an
 * outage of Redis. Times in ms by the replica's monotonic clock, unless a name says otherwise.
 */
export class Stock {
  private lots: Lot[] = [];
  private spares: Lot[] = [];
  private unwanted: Lot[] = [];
  private readonly served: { readonly candidate: RankedCandidate; readonly day: number; count: number }[] = [];
  private demand = 0;
  private demandAtMs = -Infinity;
  private asked = false;
  /** While Redis is away: the time between two ads before that, and when the next one is due. */
  private outage: { readonly intervalMs: number; dueMs: number } | undefined;

  /** One of those that it was for, the last that was handed out: an older one keeps older rows in memory. */
  private last: RankedCandidate;
  private readonly isLimited: boolean;
  private readonly options: StockOptions;

  constructor(candidate: RankedCandidate, options: StockOptions) {
    this.last = candidate;
    this.isLimited = !isUnbounded(candidate.lineItem, candidate.campaign);
    this.options = options;
  }

  /** Whether the ads are reserved for this candidate: the same line item with the same limits and price, and each by itself. */
  fits({ lineItem, campaign, priceMicros, block }: RankedCandidate): boolean {
    const { last } = this;
    if (block !== undefined) return false;
    return lineItem.edition === last.lineItem.edition && campaign.edition === last.campaign.edition && priceMicros === last.priceMicros;
  }

  /** Hands out an ad of a lot; undefined: there is none. */
  take(candidate: RankedCandidate, nowMs: number): ReservationMoments | undefined {
    return this.takeFrom(this.lots, candidate, nowMs);
  }

  /** The same while Redis is away: also from the spare, and a paced line item no faster than before. */
  takeInOutage(candidate: RankedCandidate, nowMs: number): ReservationMoments | undefined {
    return this.take(candidate, nowMs) ?? (this.isDue(nowMs) ? this.takeFrom(this.spares, candidate, nowMs) : undefined);
  }

  /** Takes back an ad that `take` has handed out for an answer that was not given. */
  putBack(candidate: RankedCandidate, { day, holdEndMs }: ReservationMoments): void {
    const lot = this.lots.find((one) => one.day === day && one.holdEndMs === holdEndMs);
    if (lot) lot.left++;
    else this.unwanted.push({ left: 1, day, holdEndMs, sentMs: 0, redisMs: 0, untilMs: 0, isPaced: true });
    this.count(candidate, day, -1);
  }

  /** What it wants with the next reservation; undefined: nothing, or a call that asks is under way. */
  ask(nowMs: number): WantedLots | undefined {
    if (this.asked) return undefined;
    const demand = this.demandAt(nowMs);
    const lot = Math.floor((demand * LOT_MS) / 1000);
    // Line items without limits serve in an outage as before it.
    const wanted = this.isLimited ? Math.ceil((demand * this.options.reserveMs) / 1000) : 0;
    const oldest = this.spares[0];
    const isOld = oldest !== undefined && nowMs - oldest.sentMs > (oldest.untilMs - oldest.sentMs) / 2;
    const spare = isOld || sizeOf(this.spares) < wanted / 2 ? wanted : 0;
    this.asked = lot + spare > 0;
    return this.asked ? { lot, spare } : undefined;
  }

  /** The answer to `ask`; undefined: nothing was granted. `days`: the publisher's. */
  receive(granted: (GrantedLots & ReservationMoments) | undefined, sentMs: number, days: DayRule): void {
    this.asked = false;
    if (!granted) return;
    const { lot, spare, redisMs, day, holdEndMs } = granted;
    // Tokens end with a whole second.
    const holdEndS = Math.floor(holdEndMs / 1000);
    const untilMs = sentMs + Math.min(holdEndS * 1000 - this.options.heldMs, endOfDay(days, day)) - redisMs;
    if (lot > 0) this.lots.push({ left: lot, day, holdEndMs, sentMs, redisMs, untilMs, isPaced: true });
    if (spare === 0) return;
    // The spare until now is handed out, unless pacing would have to permit it.
    (this.isPaced ? this.unwanted : this.lots).push(...this.spares);
    this.spares = [{ left: spare, day, holdEndMs, sentMs, redisMs, untilMs, isPaced: false }];
  }

  /** A call has reserved an ad for a request. */
  noteReserved(nowMs: number): void {
    this.outage = undefined;
    this.noteDemand(nowMs);
  }

  /** The line item has nothing left: what is held here is for the requests that there are, at whichever replica. */
  returnAll(): void {
    this.unwanted.push(...this.lots, ...this.spares);
    this.lots = [];
    this.spares = [];
  }

  /** Whether its ads are held in one of these accounts. */
  isHeldIn(fields: ReadonlySet<string>): boolean {
    const { id, campaignId } = this.last.lineItem;
    return fields.has(accountField('l', id)) || fields.has(accountField('c', campaignId));
  }

  /** What was handed out, and what is returned, since the last report. `all`: everything is returned. */
  report(nowMs: number, all = false): readonly StockReport[] {
    this.lots = this.keep(this.lots, (lot) => !all && nowMs < lot.untilMs && nowMs - lot.sentMs <= MAX_IDLE_MS);
    this.spares = this.keep(this.spares, (lot) => !all && nowMs < lot.untilMs);
    const reports = this.reportsOf(this.unwanted);
    this.unwanted = [];
    this.served.length = 0;
    return reports;
  }

  /** What would be reported if it were given up now. */
  get pending(): readonly StockReport[] {
    return this.reportsOf([...this.unwanted, ...this.lots, ...this.spares]);
  }

  /** Ads that it may hand out. */
  get size(): number {
    return sizeOf(this.lots) + sizeOf(this.spares);
  }

  /** Requests per second. */
  demandAt(nowMs: number): number {
    return this.demand * Math.exp(Math.min(this.demandAtMs - nowMs, 0) / DEMAND_MS);
  }

  private reportsOf(returned: readonly Lot[]): readonly StockReport[] {
    return [
      ...returned
        .filter(({ left }) => left > 0)
        .map(({ left, day, holdEndMs, isPaced }) => ({ candidate: this.last, day, holdEndMs, returned: left, isPaced, served: 0 })),
      ...this.served
        .filter(({ count }) => count > 0)
        .map(({ candidate, day, count }) => ({ candidate, day, holdEndMs: 0, returned: 0, isPaced: false, served: count })),
    ];
  }

  private get isPaced(): boolean {
    return this.last.lineItem.pacing !== 'ASAP';
  }

  private takeFrom(lots: Lot[], candidate: RankedCandidate, nowMs: number): ReservationMoments | undefined {
    for (let lot = lots[0]; lot; lot = lots[0]) {
      if (lot.left === 0 || nowMs >= lot.untilMs) {
        lots.shift();
        this.unwanted.push(lot);
        continue;
      }
      lot.left--;
      this.last = candidate;
      this.noteDemand(nowMs);
      this.count(candidate, lot.day, 1);
      const tokenExpS = Math.ceil((lot.redisMs + nowMs - lot.sentMs + this.options.tokenTtlMs) / 1000);
      return { tokenExpS, holdEndMs: lot.holdEndMs, day: lot.day };
    }
    return undefined;
  }

  private isDue(nowMs: number): boolean {
    if (!this.isPaced) return true;
    this.outage ??= { intervalMs: 1000 / this.demandAt(nowMs), dueMs: nowMs };
    const { intervalMs, dueMs } = this.outage;
    if (nowMs < dueMs) return false;
    // A request comes later than its ad was due: the next ad is not delayed by that, unless one was left out.
    this.outage.dueMs = Math.max(dueMs, nowMs - intervalMs) + intervalMs;
    return true;
  }

  private noteDemand(nowMs: number): void {
    this.demand = this.demandAt(nowMs) + 1000 / DEMAND_MS;
    this.demandAtMs = nowMs;
  }

  /** A list, because a line item has few creatives and most have one. */
  private count(candidate: RankedCandidate, day: number, ads: number): void {
    const of = this.served.find((one) => one.candidate.creative.id === candidate.creative.id && one.day === day);
    if (of) of.count += ads;
    else this.served.push({ candidate, day, count: ads });
  }

  private keep(lots: readonly Lot[], mayStay: (lot: Lot) => boolean): Lot[] {
    const kept = lots.filter((lot) => lot.left > 0 && mayStay(lot));
    this.unwanted.push(...lots.filter((lot) => !kept.includes(lot)));
    return kept;
  }
}

const sizeOf = (lots: readonly Lot[]): number => lots.reduce((sum, { left }) => sum + left, 0);

export const holdsAny = (stocks: Iterable<Stock>): boolean => {
  for (const { size } of stocks) if (size > 0) return true;
  return false;
};

/** Nothing is left, here or at other replicas. */
export const isUsedUp = (reason: NoBidReason): boolean =>
  reason === NoBidReason.BudgetSpent || reason === NoBidReason.GoalReached || reason === NoBidReason.DailyCap;
