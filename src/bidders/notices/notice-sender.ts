import type { BidderObserver, NoticeKind } from '../bidder-observer.ts';
import type { GuardedDispatchers } from '../calls/guarded-dispatcher.ts';
import { readBidderUrl, type AddressPolicy } from '../calls/read-bidder-url.ts';

export interface NoticeSenderOptions extends AddressPolicy {
  readonly dispatchers: GuardedDispatchers;
  readonly timeoutMs: number;
  readonly observe: BidderObserver['notice'];
}

/** Win, billing and loss notices: sent once, in the order they came, by nobody's leave and to nobody's delay. */
export interface NoticeSender {
  send(kind: NoticeKind, url: string): void;
  /** Takes no more; resolves when what was taken is sent or has failed, or after `graceMs`, dropping what still waits. */
  close(graceMs: number): Promise<void>;
}

/** A slow receiver holds up at most this many sockets … */
const MAX_UNDER_WAY = 32;
/** … and this much memory (a URL is at most 2 KiB). */
const MAX_WAITING = 2_000;

export const createNoticeSender = (options: NoticeSenderOptions): NoticeSender => {
  const { dispatchers, timeoutMs, observe } = options;
  const waiting: { readonly kind: NoticeKind; readonly url: URL }[] = [];
  let underWay = 0;
  let closed = false;
  let whenIdle: (() => void) | null = null;

  const call = async (kind: NoticeKind, url: URL): Promise<void> => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { statusCode, body } = await dispatchers
        .of(url)
        .request({ origin: url.origin, path: url.pathname + url.search, method: 'GET', signal });
      await body.dump({ limit: 16 * 1024, signal });
      observe(kind, statusCode >= 200 && statusCode < 300 ? 'sent' : 'failed');
    } catch {
      // Unreachable, refused by its address or out of time: a notice is not sent again, the count says how many failed.
      observe(kind, 'failed');
    }
  };

  const advance = (): void => {
    while (underWay < MAX_UNDER_WAY) {
      const next = waiting.shift();
      if (next === undefined) break;
      underWay += 1;
      void call(next.kind, next.url).finally(() => {
        underWay -= 1;
        advance();
      });
    }
    if (underWay === 0) whenIdle?.();
  };

  return {
    send: (kind, text) => {
      const url = readBidderUrl(text, options);
      if (typeof url === 'string') return observe(kind, 'refused');
      if (closed || waiting.length >= MAX_WAITING) return observe(kind, 'dropped');
      waiting.push({ kind, url });
      // After the answer that is being made in this turn of the event loop.
      setImmediate(advance);
    },
    close: async (graceMs) => {
      closed = true;
      if (underWay === 0 && waiting.length === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const idle = new Promise<void>((resolve) => {
        whenIdle = resolve;
        timer = setTimeout(resolve, graceMs);
      });
      await idle;
      clearTimeout(timer);
      for (const { kind } of waiting.splice(0)) observe(kind, 'dropped');
    },
  };
};
