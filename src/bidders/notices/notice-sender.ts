import { setImmediate as nextTurn } from 'node:timers/promises';
import PQueue from 'p-queue';
import { within } from '../../base/within.ts';
import type { BidderObserver, NoticeKind } from '../bidder-observer.ts';
import type { GuardedDispatchers } from '../calls/guarded-dispatcher.ts';
import { readBidderUrl, type AddressPolicy } from '../calls/read-bidder-url.ts';

export interface NoticeSenderOptions extends AddressPolicy {
  readonly dispatchers: GuardedDispatchers;
  readonly timeoutMs: number;
  readonly observe: BidderObserver['notice'];
}

/** A slow receiver holds up at most this many sockets … */
const MAX_UNDER_WAY = 32;
/** … and this much memory (a URL is at most 2 KiB), those under way included. */
const MAX_NOTICES = 2_000;

/** Sends win, billing and loss notices: each once, in order, without delaying a request. */
export const createNoticeSender = (options: NoticeSenderOptions) => {
  const { dispatchers, timeoutMs, observe } = options;
  const queue = new PQueue({ concurrency: MAX_UNDER_WAY });
  let closed = false;
  let graceOver = false;

  const deliver = async (kind: NoticeKind, url: URL): Promise<void> => {
    if (graceOver) return observe(kind, 'dropped');
    // Runs after the response that this turn of the event loop writes.
    await nextTurn();
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { statusCode, body } = await dispatchers
        .of(url)
        .request({ origin: url.origin, path: url.pathname + url.search, method: 'GET', signal });
      await body.dump({ limit: 16 * 1024, signal });
      observe(kind, statusCode >= 200 && statusCode < 300 ? 'sent' : 'failed');
    } catch {
      // Unreachable, at a forbidden address or out of time. Notices are not retried; the metric
      // counts the failures.
      observe(kind, 'failed');
    }
  };

  return {
    send: (kind: NoticeKind, text: string): void => {
      const url = readBidderUrl(text, options);
      if (typeof url === 'string') return observe(kind, 'refused');
      if (closed || queue.size + queue.pending >= MAX_NOTICES) return observe(kind, 'dropped');
      void queue.add(() => deliver(kind, url));
    },
    /**
     * Accepts no further notices, sends the queued ones for up to `graceMs` and drops the rest.
     * Resolves when the last request has ended.
     */
    close: async (graceMs: number): Promise<void> => {
      closed = true;
      await within(graceMs, queue.onIdle(), () => {
        graceOver = true;
      });
      await queue.onIdle();
    },
  };
};

export type NoticeSender = ReturnType<typeof createNoticeSender>;
