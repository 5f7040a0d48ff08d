import type { Fetch } from './ad-requests.ts';
import type { Bid } from './contract.ts';

/** Requests an ad's tracking URLs, without cookies and referrer; the requests survive the page. */
export interface Tracker {
  /**
   * Only the first call has an effect. `pixels`: the bidder's own image URLs; ignored unless it is
   * an array.
   */
  readonly impression: (pixels?: unknown) => void;
  /** Only the first call has an effect. */
  readonly click: (pixels?: unknown) => void;
  readonly event: (type: string) => void;
}

/** The event that the SDK sends for a viewable ad; a creative's event of this name is ignored. */
export const VIEWABLE = 'viewable';

/** Bidder's trackers that are requested for one impression or click. */
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
      // The server answers a click with a redirect to the advertiser, which only the visitor's
      // navigation should follow. Fetch supports `manual` in cors mode only
      // (https://fetch.spec.whatwg.org/#main-fetch, step 12); the server allows any origin.
      const response = await send(url, {
        mode: 'cors',
        redirect: 'manual',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        keepalive: true,
      });
      // In Chromium an unread body keeps the request open, so that tools never see the network
      // idle.
      await response.blob();
      if (!response.ok && response.type !== 'opaqueredirect') throw new Error(`the ad server answered ${response.status}`);
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
