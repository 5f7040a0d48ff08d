import type { Bid } from './contract.ts';
import { escapeHTML, trustedHTML } from './html.ts';
import { createMessageGate } from './message-gate.ts';
import type { Scope } from './scope.ts';
import type { Tracker } from './tracker.ts';

/** Without allow-same-origin: the creative runs on an opaque origin and cannot reach the page. */
const SANDBOX = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';
const MAX_TYPE_LENGTH = 64;

/** A message may be any value; only the two kinds that the frame bridge sends are handled. */
type Message = { readonly adsdk?: unknown; readonly type?: unknown } | null | undefined;

/**
 * Margins are attributes, not styles: a srcdoc frame inherits the page's Content-Security-Policy,
 * which may block inline styles.
 */
const frameDocument = (markup: string, nonce: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><base target="_blank"><script nonce="${escapeHTML(nonce)}">${FRAME_BRIDGE}</script></head>` +
  `<body marginwidth="0" marginheight="0">${markup}</body></html>`;

/**
 * Shows the creative in a sandboxed frame of the ad's size. Requests the impression and resolves
 * when the frame has loaded; also resolves when the scope ends.
 */
export const renderFrame = (container: HTMLElement, bid: Bid, scope: Scope, tracker: Tracker, nonce: string): Promise<HTMLElement> => {
  const frame = document.createElement('iframe');
  const box = document.createElement('div');
  box.style.cssText = 'position:relative;display:inline-block;vertical-align:top;max-width:100%;line-height:0';
  frame.style.cssText = `display:block;border:0;width:${bid.w ? `${bid.w}px` : '100%'};height:${bid.h ?? 250}px;max-width:100%;overflow:hidden`;
  frame.title = 'Advertisement';
  frame.setAttribute('sandbox', SANDBOX);
  frame.setAttribute('scrolling', 'no');
  frame.srcdoc = trustedHTML(frameDocument(bid.adm, nonce));

  const passes = createMessageGate();
  scope.listen(window, 'message', ({ source, data }: MessageEvent<Message>) => {
    // A detached frame has no window and a synthetic message no source: null must not match null.
    if (!source || source !== frame.contentWindow) return;
    if (data?.adsdk === 'click') {
      // A creative can forge the bridge's message, but not a user gesture.
      if (navigator.userActivation?.hasBeenActive !== false && passes()) tracker.click();
    } else if (data?.adsdk === 'event' && typeof data.type === 'string' && data.type && data.type.length <= MAX_TYPE_LENGTH) {
      if (passes()) tracker.event(data.type);
    }
  });

  return new Promise((resolve) => {
    scope.listen(frame, 'load', () => {
      tracker.impression();
      resolve(box);
    });
    box.append(frame);
    container.replaceChildren(box);
    scope.add(() => {
      box.remove();
      resolve(box);
    });
  });
};
