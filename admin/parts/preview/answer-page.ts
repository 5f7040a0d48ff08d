import type { LiveAd } from './live-ad.ts';

/**
 * Sends the ad to the SDK of a page, each time that it asks.
 * @param page the window that shows the page
 * @param onShown when the page shows the ad
 * @returns what ends the answers
 */
export const answerPage = (page: Window | null, { adm, width, height }: LiveAd, onShown: () => void): (() => void) => {
  const listen = ({ source, origin, data }: MessageEvent<{ readonly adsdk?: unknown; readonly isShown?: unknown } | null>): void => {
    if (!source || source !== page || data?.adsdk !== 'preview') return;
    if (data.isShown === true) return onShown();
    // Where the page is now: its address may have led to another one.
    source.postMessage({ adsdk: 'preview', ad: { adm, w: width, h: height } }, origin);
  };
  window.addEventListener('message', listen);
  return () => window.removeEventListener('message', listen);
};
