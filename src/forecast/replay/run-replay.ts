import { under } from '../../base/under.ts';
import { MS_PER_QUARTER } from '../../base/utc-day.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { TrafficCurve } from '../../catalog/snapshot/traffic-curve.ts';
import { NO_HOLDS } from '../../ledger/free-holds.ts';
import type { RefusalReason, RefusalSink } from '../../serving/count-refusals.ts';
import { createServeAd, type ServeAdOptions } from '../../serving/serve-ad.ts';
import { createSessionCaps } from '../../serving/session-caps.ts';
import type { SampledRequest } from '../sample/sampled-request.ts';
import { arrivalsOf, type Arrival } from './arrivals.ts';
import { createDraws } from './draws.ts';
import { createReplayLedger, type ReplayLedgerOptions } from './replay-ledger.ts';
import { createReplayRequest } from './replayed-request.ts';

/** A day that is replayed. */
export interface ReplayedDay {
  /** Of the publisher, since the epoch. */
  readonly day: number;
  /** Sampled requests of the day that it is like, in the order of time. */
  readonly requests: readonly SampledRequest[];
  readonly shiftMs: number;
  /** Only what comes then is replayed. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** How many impressions of the world a sampled request stands for on this day. */
  readonly weight: (request: SampledRequest, atMs: number) => number;
}

export interface ReplayOptions extends Omit<ReplayLedgerOptions, 'random' | 'onImpression'> {
  readonly snapshot: Snapshot;
  readonly publisherId: number;
  readonly days: readonly ReplayedDay[];
  /** Days before, which fill the places of visitors under frequency caps; what they deliver does not count. */
  readonly before: readonly ReplayedDay[];
  readonly offsetMs: (atMs: number) => number;
  /** Of what is drawn. */
  readonly seed: number;
  /** Called between parts of the work, with the part that is done, 0 to 1; it may reject to end the replay. */
  readonly pause: (done: number) => Promise<void>;
  /** Called for each request that counts. */
  readonly onDecided?: ServeAdOptions['onDecided'] | undefined;
}

/** What a line item gets in the replay, in impressions of the world. */
export interface ReplayedDelivery {
  /** By day. */
  readonly impressions: Map<number, number>;
  /** Why it was not shown where it could run: sums over the flight. */
  readonly refusals: Map<RefusalReason, number>;
}

export const newDelivery = (): ReplayedDelivery => ({ impressions: new Map(), refusals: new Map() });

export interface ReplayResult {
  readonly lineItems: ReadonlyMap<number, ReplayedDelivery>;
  /** Impressions that pages ask for. */
  readonly opportunities: number;
}

/** Between two pauses. */
const REQUESTS_AT_ONCE = 2_000;
/** One request in so many is examined whole: why line items were not shown. */
const EXAMINED = 32;

/** Replays days of traffic with the decision that serves, on accounts in memory. */
export const runReplay = async (options: ReplayOptions): Promise<ReplayResult> => {
  const { publisherId, days, before, scale, pause, onDecided } = options;
  const publisher = options.snapshot.publishers.get(publisherId);
  if (!publisher) throw new Error(`publisher ${publisherId} is not in the catalog`);
  const snapshot = withKeptCurves(options.snapshot);
  const draws = createDraws(options.seed);
  const random = draws.next;
  const lineItems = new Map<number, ReplayedDelivery>();
  const deliveryOf = (id: number): ReplayedDelivery => under(lineItems, id, newDelivery);
  let isCounted = false;
  let opportunities = 0;

  const ledger = createReplayLedger({
    ...options,
    random,
    onImpression: (lineItemId, day) => {
      if (!isCounted) return;
      const of = deliveryOf(lineItemId);
      of.impressions.set(day, (of.impressions.get(day) ?? 0) + scale);
    },
  });
  const refusals: RefusalSink = {
    add: (_atMs, lineItemId, reason, _outrankedBy, impressions) => {
      const of = deliveryOf(lineItemId);
      of.refusals.set(reason, (of.refusals.get(reason) ?? 0) + impressions * EXAMINED * scale);
    },
  };
  const deciding: ServeAdOptions = {
    bidders: { ask: () => Promise.resolve({ bids: [], refusals: [] }) },
    onBidsDecided: () => undefined,
    onDecided: onDecided && ((...decided) => isCounted && onDecided(...decided)),
    reserve: ledger.reserve,
    newId: () => '',
    sessionCaps: createSessionCaps(),
    freeHolds: NO_HOLDS,
    random,
    clock: () => 0,
  };
  const serve = createServeAd(deciding);
  const examine = createServeAd({ ...deciding, refusals });
  const toRequest = createReplayRequest(publisher, options.offsetMs);

  const total = [...before, ...days].reduce((sum, { requests }) => sum + requests.length, 0);
  let done = 0;
  let served = 0;
  const serveAll = async (arrivals: readonly Arrival[]): Promise<void> => {
    for (const arrival of arrivals) {
      ledger.advance(arrival.atMs);
      draws.begin(arrival.seed);
      const decide = isCounted && arrival.seed % EXAMINED === 0 ? examine : serve;
      const answer = await decide(snapshot, toRequest(arrival));
      if (isCounted) opportunities += (answer.filled.length + answer.unfilled.length) * scale;
      if (++served % REQUESTS_AT_ONCE === 0) await pause(Math.min(done / Math.max(total, 1), 1));
    }
  };
  const replayDay = async ({ requests, shiftMs, fromMs, untilMs, weight }: ReplayedDay): Promise<void> => {
    const copies = (request: SampledRequest): number => weight(request, request.atMs + shiftMs) / scale;
    const arrivals = arrivalsOf({ requests, shiftMs, copies });
    await serveAll(arrivals.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs));
    done += requests.length;
  };

  for (const day of before) await replayDay(day);
  const [first] = days;
  if (first) ledger.restart(first.fromMs);
  isCounted = true;
  for (const day of days) await replayDay(day);
  await pause(1);
  return { lineItems, opportunities };
};

/** A curve holds for a quarter of an hour; making one takes a microsecond. */
const withKeptCurves = (snapshot: Snapshot): Snapshot => {
  let quarter = NaN;
  let kept: TrafficCurve | undefined;
  return {
    ...snapshot,
    curveAt: (publisherId, atMs) => {
      const at = Math.floor(atMs / MS_PER_QUARTER);
      if (kept === undefined || at !== quarter) {
        quarter = at;
        kept = snapshot.curveAt(publisherId, atMs);
      }
      return kept;
    },
  };
};
