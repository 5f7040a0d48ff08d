import type { Booking } from '../../testkit/book.ts';
import { createPage, type Reply } from '../../testkit/create-page.ts';
import { openLoop } from '../../testkit/open-loop.ts';
import { atEnd } from '../setup/at-end.ts';

export interface TrafficReport {
  /** Requests sent, of every kind. */
  readonly requests: number;
  /** `POST /ad 502`, `GET /impression UND_ERR_SOCKET` …: everything but an answer of 200. */
  readonly failed: readonly string[];
  /** Ads served, by the publisher's id. */
  readonly served: ReadonlyMap<number, number>;
  /** Impressions that were answered 200; each was sent once. */
  readonly impressions: number;
  /** Moments (ms since the start) of ad requests without an ad, by the publisher's id. */
  readonly unfilledAtMs: ReadonlyMap<number, readonly number[]>;
}

export interface Traffic {
  /** Milliseconds since the start. */
  elapsedMs(): number;
  /** Stops sending and waits for open requests. */
  stop(): Promise<TrafficReport>;
}

/**
 * Sends ad requests at a fixed rate for each publisher in turn, independent of the answers; follows every ad with its
 * impression and every second one with its click. `perSecond` counts all three kinds. Nothing is sent twice.
 */
export const startTraffic = (url: string, publishers: readonly Booking[], perSecond: number): Traffic => {
  const page = createPage(url);
  const failed: string[] = [];
  const served = new Map<number, number>();
  const unfilledAtMs = new Map<number, number[]>();
  const begun = performance.now();
  let [requests, impressions] = [0, 0];

  const succeeds = (what: string, { status, text }: Reply): boolean => {
    requests++;
    if (status !== 200) failed.push(`${what} ${status} ${text.slice(0, 200)}`);
    return status === 200;
  };
  const stop = openLoop(perSecond / 2.5, async (n) => {
    const booking = publishers[n % publishers.length]!;
    const { publisherId: id } = booking;
    const reply = await page.ask(booking, 'u');
    if (!succeeds('POST /ad', reply)) return;
    const [bid] = reply.bids;
    if (!bid) {
      unfilledAtMs.set(id, [...(unfilledAtMs.get(id) ?? []), performance.now() - begun]);
      return;
    }
    served.set(id, (served.get(id) ?? 0) + 1);
    if (succeeds('GET /impression', await page.get(bid.impurl))) impressions++;
    if (n % 2 === 0) succeeds('GET /click', await page.get(bid.clkurl));
  });
  atEnd(stop);
  return {
    elapsedMs: () => performance.now() - begun,
    stop: async () => {
      await stop();
      await page.close();
      return { requests, failed, served, impressions, unfilledAtMs };
    },
  };
};
