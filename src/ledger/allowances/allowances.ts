import { localDayOf, UTC_DAYS } from '../../base/local-day.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import {
  winnerOf,
  type GrantedLots,
  type Reservation,
  type ReservationMoments,
  type ReserveRequest,
  type WantedLots,
} from '../reservation.ts';
import type { AllowancesOptions, SharedRequest } from './allowances-options.ts';
import { decideFromLots, decideInOutage } from './decide-locally.ts';
import { createEndOfTurn } from './end-of-turn.ts';
import { returnLots, returnReservation, type LotReport } from './report-lots.ts';
import { holdsAny, isShareable, isUsedUp, Stock } from './stock.ts';

/**
 * Each stock is reported once a second. A tenth of them at a time: all at once would hold the event loop and Redis for
 * tens of milliseconds, and their lots would end together.
 */
const REPORT_INTERVAL_MS = 1_000;
const REPORT_SHARES = 10;
/** A stock without demand takes about 1 kB; line items beyond this many are reserved ad by ad. */
const MAX_STOCKS = 10_000;
/** A stock that had fewer requests per second lately, and has nothing left, is dropped. */
const MIN_DEMAND = 0.01;

interface Shelf {
  readonly stocks: Map<number, Stock>;
  readonly heldMs: number;
}

type Owner = Pick<LotReport, 'publisherId' | 'expiresAtMs'>;

/**
 * The ledger as requests for ads see it: always answered, mostly without Redis.
 *
 * Decides most ads from lots: ads of a line item that were reserved in one call with an earlier ad,
 * for the requests of the next second (docs/adr/0013). What is not handed out is returned. Line items
 * with a frequency cap or a rate limit, and bids, are reserved one by one.
 *
 * While Redis is away, line items without limits serve as before, and the others from their spares.
 */
export const createAllowances = (options: AllowancesOptions) => {
  const { ledger, tokenTtlMs, reserveMs, isUp, now, clock, observe } = options;
  let { enabled } = options;
  const shelves = new Map<number, Shelf>();
  const owners = new Map<Stock, Owner>();
  const endOfTurn = createEndOfTurn();
  /** Since the last report: of stocks that were dropped, and what was reserved too late. */
  let dropped: LotReport[] = [];
  /** Of accounts that are not rebuilt: what they return is reported again, once a second. */
  const closed: LotReport[] = [];

  const shelfOf = ({ maxHoldMs = Infinity }: ReserveRequest): Shelf => {
    let shelf = shelves.get(maxHoldMs);
    if (!shelf) shelves.set(maxHoldMs, (shelf = { stocks: new Map(), heldMs: Math.min(maxHoldMs, tokenTtlMs) }));
    return shelf;
  };

  const drop = (shelf: Shelf, lineItemId: number, stock: Stock): void => {
    dropped.push(...reportsOf(stock, true));
    shelf.stocks.delete(lineItemId);
    owners.delete(stock);
  };

  const reportsOf = (stock: Stock, all: boolean): readonly LotReport[] =>
    stock.report(clock(), all).map((report) => ({ ...owners.get(stock)!, ...report }));

  /** The stock of a candidate; undefined: it has none. */
  const stockOf = (shelf: Shelf, candidate: RankedCandidate): Stock | undefined => {
    const stock = shelf.stocks.get(candidate.lineItem.id);
    if (!stock || stock.fits(candidate)) return stock;
    drop(shelf, candidate.lineItem.id, stock);
    return undefined;
  };

  const newStock = (shelf: Shelf, request: ReserveRequest, candidate: RankedCandidate): Stock | undefined => {
    if (owners.size >= MAX_STOCKS || !isShareable(candidate)) return undefined;
    const stock = new Stock(candidate, { heldMs: shelf.heldMs, tokenTtlMs, reserveMs });
    owners.set(stock, { publisherId: request.publisherId, expiresAtMs: request.expiresAtMs });
    shelf.stocks.set(candidate.lineItem.id, stock);
    return stock;
  };

  /** What is wanted with the winners: of each impression, for the first candidate with a stock, the likely one. */
  const wantsOf = (shelf: Shelf, { imps }: ReserveRequest, nowMs: number): Map<RankedCandidate, WantedLots> => {
    const wants = new Map<RankedCandidate, WantedLots>();
    for (const candidates of imps) {
      const likely = candidates.find((candidate) => stockOf(shelf, candidate));
      const wanted = likely && stockOf(shelf, likely)?.ask(nowMs);
      if (wanted) wants.set(likely, wanted);
    }
    return wants;
  };

  const callLedger = (request: ReserveRequest): Promise<Reservation | undefined> =>
    ledger.reserve(request, (late) => void dropped.push(...returnReservation(request, late)));

  const byCall = async (shelf: Shelf, request: ReserveRequest): Promise<Reservation | undefined> => {
    const sentMs = clock();
    const wants = wantsOf(shelf, request, sentMs);
    const reservation = await callLedger(wants.size > 0 ? { ...request, wants } : request);
    const granted = new Map<RankedCandidate, GrantedLots & ReservationMoments>();
    request.imps.forEach((candidates, i) => {
      const reserved = reservation?.imps[i];
      if (!reserved) return;
      const winner = winnerOf(candidates, reserved);
      if (winner) (stockOf(shelf, winner) ?? newStock(shelf, request, winner))?.noteReserved(sentMs);
      if (winner && reserved.granted) granted.set(winner, { ...reserved.granted, ...reserved.moments! });
      reserved.refused.forEach((reason, at) => {
        const { id } = candidates[at]!.lineItem;
        const stock = shelf.stocks.get(id);
        if (!stock) return;
        if (reason === NoBidReason.AccountSetAside) drop(shelf, id, stock);
        else if (isUsedUp(reason)) giveUp(stock);
      });
    });
    for (const candidate of wants.keys()) receive(shelf, request, candidate, granted.get(candidate), sentMs);
    return reservation;
  };

  /** With the next reports, whichever share they are of. */
  const giveUp = (stock: Stock): void => {
    if (stock.size === 0) return;
    stock.returnAll();
    dropped.push(...reportsOf(stock, false));
  };

  /** What is held of accounts that refuse elsewhere. A replica that holds nothing does not ask. */
  const returnScarce = async (): Promise<void> => {
    if (!holdsAny(owners.keys())) return;
    const scarce = await ledger.readScarce();
    if (scarce.size === 0) return;
    for (const stock of owners.keys()) if (stock.isHeldIn(scarce)) giveUp(stock);
  };

  const receive = (
    shelf: Shelf,
    request: ReserveRequest,
    candidate: RankedCandidate,
    granted: (GrantedLots & ReservationMoments) | undefined,
    sentMs: number,
  ): void => {
    if (granted) observe?.granted(granted.lot + granted.spare);
    const stock = shelf.stocks.get(candidate.lineItem.id);
    if (stock?.fits(candidate)) return stock.receive(granted, sentMs, request.curve.days ?? UTC_DAYS);
    // The line item was changed meanwhile.
    if (granted) dropped.push(...returnLots(request, candidate, granted));
  };

  const isByLots = ({ isShared, client }: SharedRequest): boolean => enabled && isShared && client === undefined;

  /** The same as `reserve` from lots alone, for which the first candidate of each impression is enough; undefined: a call must decide. */
  const fromLots = (request: SharedRequest): Promise<Reservation> | undefined => {
    if (!isByLots(request)) return undefined;
    const shelf = shelfOf(request);
    const local = decideFromLots(request.imps, (candidate) => stockOf(shelf, candidate), clock());
    if (!local) return undefined;
    observe?.decided('lots', request.imps.length);
    return endOfTurn().then(() => local);
  };

  const inOutage = (shelf: Shelf, { publisherId, curve, imps, isShared }: SharedRequest): Reservation => {
    const [nowMs, atMs] = [clock(), now(publisherId)];
    return decideInOutage(imps, {
      unheld: { tokenExpS: Math.ceil((atMs + tokenTtlMs) / 1000), holdEndMs: 0, day: localDayOf(curve.days ?? UTC_DAYS, atMs) },
      take: (candidate) => (isShared ? stockOf(shelf, candidate)?.takeInOutage(candidate, nowMs) : undefined),
    });
  };

  const report = async ({ all = false, share }: { readonly all?: boolean; readonly share?: number }): Promise<void> => {
    // Its serves were counted.
    if (!share) dropped.push(...closed.splice(0).map((one) => ({ ...one, served: Math.min(one.served, 0) })));
    const reports = dropped.filter(({ publisherId }) => isUp(publisherId));
    dropped = dropped.filter(({ publisherId }) => !isUp(publisherId));
    for (const shelf of shelves.values()) {
      for (const [lineItemId, stock] of shelf.stocks) {
        if (share !== undefined && lineItemId % REPORT_SHARES !== share) continue;
        // In an outage it keeps what it has.
        if (!isUp(owners.get(stock)!.publisherId)) continue;
        reports.push(...reportsOf(stock, all));
        if (all || (stock.size === 0 && stock.demandAt(clock()) < MIN_DEMAND)) {
          shelf.stocks.delete(lineItemId);
          owners.delete(stock);
        }
      }
    }
    const done = await ledger.reportLots(reports);
    closed.push(...done.closed.filter(({ returned }) => returned > 0));
    for (const outcome of ['returned', 'stranded'] as const) if (done[outcome] > 0) observe?.returned(outcome, done[outcome]);
  };

  let timer: NodeJS.Timeout | undefined;
  return {
    fromLots,
    reserve: async (request: SharedRequest): Promise<Reservation> => {
      const local = fromLots(request);
      if (local) return local;
      const shelf = shelfOf(request);
      const reservation = await (isByLots(request) ? byCall(shelf, request) : callLedger(request));
      observe?.decided(reservation ? 'ledger' : 'outage', request.imps.length);
      return reservation ?? inOutage(shelf, request);
    },
    /** Ads that this replica may hand out without a call. */
    get outstanding(): number {
      let sum = 0;
      for (const stock of owners.keys()) sum += stock.size;
      return sum;
    },
    /** What it would report if it stopped now. */
    get pending(): readonly LotReport[] {
      const inStock = [...owners].flatMap(([stock, owner]) => stock.pending.map((report) => ({ ...owner, ...report })));
      return [...dropped, ...closed, ...ledger.unansweredReports(), ...inStock];
    },
    /** Reports what was handed out and returns what is idle. */
    report: async (): Promise<void> => {
      await returnScarce();
      await report({});
    },
    /** From now on reports by itself, once a second. */
    start: (): void => {
      let share = 0;
      timer = setInterval(() => {
        if (share === 0) void returnScarce();
        void report({ share });
        share = (share + 1) % REPORT_SHARES;
      }, REPORT_INTERVAL_MS / REPORT_SHARES).unref();
    },
    /** Returns everything. Requests are then decided by calls. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      enabled = false;
      await report({ all: true });
    },
  };
};

export type Allowances = ReturnType<typeof createAllowances>;
