import type { Bid } from './contract.ts';
import { escapeHTML } from './escape-html.ts';
import { createMessageGate } from './message-gate.ts';
import type { Scope } from './scope.ts';
import type { Tracker } from './tracker.ts';
import { trustedHTML } from './trusted-html.ts';

/** Never allow-same-origin: the creative keeps an origin of its own and cannot reach the page. */
const SANDBOX = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';
const MAX_TYPE_LENGTH = 64;

/** What may come: anything at all, of which the two kinds of the frame bridge are known. */
type Message = { readonly adsdk?: unknown; readonly type?: unknown } | null | undefined;

/** Attributes instead of a style: a frame by srcdoc lives under the page's Content-Security-Policy, which may refuse inline styles. */
const frameDocument = (markup: string, nonce: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><base target="_blank"><script nonce="${escapeHTML(nonce)}">${FRAME_BRIDGE}</script></head>` +
  `<body marginwidth="0" marginheight="0">${markup}</body></html>`;

/**
 * Puts the creative into a sandboxed frame of the ad's size. Resolves when it has loaded, which is when the impression is requested, or
 * with the end of the scope.
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
    // A frame without a window and a message without a source are both null: compare only real windows.
    if (!source || source !== frame.contentWindow) return;
    if (data?.adsdk === 'click') {
      // A creative can forge the bridge's message, but not a gesture of the visitor.
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
