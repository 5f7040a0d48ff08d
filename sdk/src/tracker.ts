import type { Fetch } from './ad-requests.ts';
import type { Bid } from './contract.ts';

/** Requests an ad's tracking URLs: without cookies and referrer, and outliving the page. */
export interface Tracker {
  /** The first call counts. `pixels` are those of the ad's own seller: a list of image URLs, or anything else, which is none. */
  readonly impression: (pixels?: unknown) => void;
  /** The first call counts. */
  readonly click: (pixels?: unknown) => void;
  readonly event: (type: string) => void;
}

/** Of a bidder's trackers in one ad, so many are requested. */
const MAX_PIXELS = 10;

const requestPixels = (urls: unknown): void => {
  if (!Array.isArray(urls)) return;
  for (const url of urls.filter((one) => /^https?:\/\//i.test(String(one))).slice(0, MAX_PIXELS)) {
    const pixel = new Image();
    pixel.referrerPolicy = 'no-referrer';
    pixel.src = String(url);
  }
};

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
  const once = (url: string): ((pixels?: unknown) => void) => {
    let done = false;
    return (pixels) => {
      if (done) return;
      done = true;
      void hit(url);
      requestPixels(pixels);
    };
  };
  return {
    impression: once(bid.impurl),
    click: once(bid.clkurl),
    event: (type) => void hit(bid.evturl && `${bid.evturl}&type=${encodeURIComponent(type)}`),
  };
};
