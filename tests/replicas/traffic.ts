import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Booking } from '../../testkit/book.ts';
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
  /** Stops sending and waits for open requests. */
  stop(): Promise<TrafficReport>;
}

const ANSWER_PATIENCE_MS = 10_000;

/**
 * Sends ad requests at a fixed rate, independent of the answers, for each publisher in turn; follows every ad with its impression and every
 * second one with its click. `perSecond` counts all three kinds. Nothing is ever sent again.
 */
export const startTraffic = (url: string, publishers: readonly Booking[], perSecond: number): Traffic => {
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  const failed: string[] = [];
  const served = new Map<number, number>();
  const unfilledAtMs = new Map<number, number[]>();
  const begun = performance.now();
  let [requests, impressions, turn, stopped] = [0, 0, 0, false];

  const send = async (method: 'GET' | 'POST', path: string, rest: { headers?: Record<string, string>; body?: string } = {}) => {
    requests++;
    try {
      const timeouts = { headersTimeout: ANSWER_PATIENCE_MS, bodyTimeout: ANSWER_PATIENCE_MS };
      const { statusCode, body } = await pool.request({ method, path, ...rest, ...timeouts });
      const text = await body.text();
      if (statusCode === 200) return text;
      failed.push(`${method} ${path.split('?')[0]} ${statusCode} ${text.slice(0, 200)}`);
    } catch (fault) {
      const { code, message } = fault as Error & { readonly code?: string };
      failed.push(`${method} ${path.split('?')[0]} ${code ?? message}`);
    }
    return undefined;
  };

  const visit = async ({ publisherId: id, apiKey, placementId }: Booking, clicks: boolean): Promise<void> => {
    const body = JSON.stringify({ id: 'r', imp: [{ id: '1', tagid: placementId }], user: { id: 'u' }, ext: { publisher_id: id } });
    const answer = await send('POST', '/ad', { headers: { 'x-api-key': apiKey, 'content-type': 'application/json' }, body });
    if (answer === undefined) return;
    const bid = (JSON.parse(answer) as { seatbid: { bid: { impurl: string; clkurl: string }[] }[] }).seatbid[0]?.bid[0];
    if (!bid) {
      unfilledAtMs.set(id, [...(unfilledAtMs.get(id) ?? []), performance.now() - begun]);
      return;
    }
    served.set(id, (served.get(id) ?? 0) + 1);
    if ((await send('GET', bid.impurl)) !== undefined) impressions++;
    if (clicks) await send('GET', bid.clkurl);
  };

  const underWay = new Set<Promise<void>>();
  const beat = async (): Promise<void> => {
    const visitsPerMs = perSecond / 2.5 / 1000;
    while (!stopped) {
      for (; turn < (performance.now() - begun) * visitsPerMs; turn++) {
        const visit_ = visit(publishers[turn % publishers.length]!, turn % 2 === 0).finally(() => underWay.delete(visit_));
        underWay.add(visit_);
      }
      await sleep(5);
    }
  };
  const beating = beat();
  atEnd(() => (stopped = true));
  return {
    stop: async () => {
      stopped = true;
      await beating;
      await Promise.all(underWay);
      await pool.close();
      return { requests, failed, served, impressions, unfilledAtMs };
    },
  };
};
