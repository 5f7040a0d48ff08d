import { setTimeout as sleep } from 'node:timers/promises';
import type { Booking } from '../../testkit/book.ts';
import type { Page } from '../../testkit/create-page.ts';
import { openLoop } from '../../testkit/open-loop.ts';
import { percentile } from '../../testkit/statistics.ts';

export interface SteadyLoadOptions {
  readonly page: Page;
  readonly perSecond: number;
  /** Taken in turn. */
  readonly bookings: readonly Booking[];
}

/** Visits at a fixed rate, independent of answers (open loop): an ad request, and the impression of its bid. */
export interface SteadyLoad {
  /** Begins a new measurement. */
  reset(): void;
  readonly figures: () => LoadFigures;
  /** The part of the requests for these bookings that were filled in this measurement. */
  readonly fillOf: (bookings: readonly Booking[]) => number;
  /** Token ids of impressions answered 200, since the start. */
  readonly acknowledged: ReadonlySet<string>;
  stop(): Promise<void>;
}

export interface LoadFigures {
  readonly ads: number;
  readonly adsNot200: number;
  readonly filled: number;
  readonly adP99Ms: number;
  readonly adMostMs: number;
  /** Impressions that took more than one attempt. */
  readonly hitsRefused: number;
}

export const createSteadyLoad = ({ page, perSecond, bookings }: SteadyLoadOptions): SteadyLoad => {
  const acknowledged = new Set<string>();
  let stopping = false;
  let took: number[] = [];
  let not200 = 0;
  let filled = 0;
  let refused = 0;
  let ofBooking = new Map<Booking, { asked: number; filled: number }>();

  const stop = openLoop(perSecond, async (n) => {
    const begun = performance.now();
    const booking = bookings[n % bookings.length]!;
    const { status, bids } = await page.ask(booking, `user-${n}`);
    const fills = ofBooking.get(booking) ?? { asked: 0, filled: 0 };
    ofBooking.set(booking, { asked: fills.asked + 1, filled: fills.filled + bids.length });
    took.push(performance.now() - begun);
    if (status !== 200) not200++;
    const [bid] = bids;
    if (!bid) return;
    filled++;
    for (let attempt = 0; attempt < 20 && !acknowledged.has(bid.id); attempt++) {
      if (attempt > 0) await sleep(500);
      if ((await page.hit(bid.impurl)) === 200) acknowledged.add(bid.id);
      else if (attempt === 0) refused++;
      if (stopping && attempt > 5) return;
    }
  });

  return {
    acknowledged,
    reset: () => {
      took = [];
      not200 = filled = refused = 0;
      ofBooking = new Map();
    },
    figures: () => ({
      ads: took.length,
      adsNot200: not200,
      filled,
      adP99Ms: Math.round(percentile(took, 0.99)),
      adMostMs: Math.round(Math.max(0, ...took)),
      hitsRefused: refused,
    }),
    fillOf: (of) => {
      const fills = of.flatMap((booking) => ofBooking.get(booking) ?? []);
      return fills.reduce((sum, one) => sum + one.filled, 0) / fills.reduce((sum, one) => sum + one.asked, 0);
    },
    stop: () => {
      stopping = true;
      return stop();
    },
  };
};
