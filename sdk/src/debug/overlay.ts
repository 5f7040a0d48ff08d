/**
 * Entry of the debug overlay, which the SDK loads when the page's address asks for it: marks each
 * slot with what was decided, and explains it in a panel.
 */
import type { Fetch } from '../ad-requests.ts';
import { createPanel } from './panel.ts';
import { grantIn, recordAds } from './recorded-ads.ts';
import { createSlotMarks } from './slot-marks.ts';
import { watchContainers } from './slot-watch.ts';
import { OVERLAY_STYLES } from './overlay-styles.ts';

/** Slots move without an event when the page's content changes. */
const PLACE_AGAIN_MS = 250;

/** Shows the overlay. Returns the `fetch` for the SDK, which adds the trace to its requests. */
export const startOverlay = (send: Fetch = (url, init) => window.fetch(url, init)): Fetch => {
  const host = document.createElement('adsdk-debug');
  // Beside the page's content, without a place in it: nothing shifts.
  host.style.cssText = 'all:initial;position:absolute;top:0;left:0;width:0;height:0;z-index:2147483647';
  const root = host.attachShadow({ mode: 'open' });
  // A constructed style sheet works under a Content-Security-Policy that blocks inline styles.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(OVERLAY_STYLES);
  root.adoptedStyleSheets = [sheet];

  let isDrawing = false;
  const redraw = (): void => {
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      if (!host.isConnected) return;
      const all = slots.slots();
      marks.draw(all);
      panel.draw(all);
    });
  };
  const recorded = recordAds(send, grantIn(location.href), redraw);
  const slots = watchContainers(recorded.all, redraw);
  const end = (): void => {
    slots.end();
    clearInterval(timer);
    for (const type of MOVES) removeEventListener(type, redraw, true);
    host.remove();
  };
  const panel = createPanel(root, { allAds: recorded.all, hasGrant: grantIn(location.href) !== '', end });
  const marks = createSlotMarks(host, root, panel.open);
  const timer = setInterval(redraw, PLACE_AGAIN_MS);
  for (const type of MOVES) addEventListener(type, redraw, true);
  document.documentElement.append(host);
  redraw();
  return recorded.fetch;
};

const MOVES = ['scroll', 'resize'];
