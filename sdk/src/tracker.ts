import type { Fetch } from './ad-requests.ts';
import type { Bid } from './contract.ts';

/** Requests an ad's tracking URLs: without cookies and referrer, and outliving the page. */
export interface Tracker {
  /** The first call counts. */
  readonly impression: () => void;
  /** The first call counts. */
  readonly click: () => void;
  readonly event: (type: string) => void;
}

export const createTracker = (bid: Bid, send: Fetch, onError: (error: unknown) => void): Tracker => {
  const hit = async (url: string): Promise<void> => {
    try {
      if (!url) return;
      // A counted click is answered with a redirect to the advertiser, which only the visitor's own navigation should follow. Fetch knows
      // `manual` in cors mode alone (https://fetch.spec.whatwg.org/#main-fetch, step 12); the server allows any origin.
      const response = await send(url, {
        mode: 'cors',
        redirect: 'manual',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        keepalive: true,
      });
      // An unread body keeps the request open in Chromium, and the page never comes to rest for tools that wait for it.
      await response.blob();
      if (!response.ok && response.type !== 'opaqueredirect') throw new Error(`the hit was answered ${response.status}`);
    } catch (error) {
      onError(error);
    }
  };
  const once = (run: () => void): (() => void) => {
    let done = false;
    return () => {
      if (!done) run();
      done = true;
    };
  };
  return {
    impression: once(() => void hit(bid.impurl)),
    click: once(() => void hit(bid.clkurl)),
    event: (type) => void hit(bid.evturl && `${bid.evturl}&type=${encodeURIComponent(type)}`),
  };
};
