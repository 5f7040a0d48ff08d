import type { Bid } from './contract.ts';
import { escapeHTML, trustedHTML } from './html.ts';
import { createMessageGate } from './message-gate.ts';
import type { Scope } from './scope.ts';
import { VIEWABLE, type Tracker } from './tracker.ts';
import { randomId } from './user-id.ts';
import { whenPerceptible } from './visibility.ts';

/** Without allow-same-origin: the creative runs on an opaque origin and cannot reach the page. */
const SANDBOX = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';
const MAX_TYPE_LENGTH = 64;
/** Events that say that a person did something, unless the container lists its own (`data-gesture-events`). */
const GESTURE_EVENTS = 'like,share,comment';

/** A message may be any value; only those of this frame's bridge are handled. */
type Message =
  { readonly adsdk?: unknown; readonly click?: unknown; readonly event?: unknown; readonly gesture?: unknown } | null | undefined;

export interface FrameOptions {
  /** The page's script nonce. */
  readonly nonce: string;
  /** The server's address, against which relative addresses in the markup resolve. */
  readonly base: string;
  /** The server's CREATIVE_ORIGIN, for creatives that need storage; undefined: there is none. */
  readonly creativeOrigin: string | undefined;
}

/** An address in an attribute or a style that has neither a scheme nor a host. */
const RELATIVE = /(?:\s(?:src|href|srcset|poster)\s*=\s*["']?|\burl\(\s*["']?)(?![a-z][a-z\d+.-]*:|\/\/|[#"'\s>$])/i;

/** A creative asks for a frame with storage: `<meta name="adsdk:frame" content="storage">`. */
const WANTS_STORAGE = /<meta\s+name=["']?adsdk:frame["']?\s+content=["']?storage\b/i;

/**
 * Margins are attributes, not styles: a srcdoc frame inherits the page's Content-Security-Policy,
 * which may block inline styles. The base has an address only where the markup needs one: a policy
 * with `base-uri` may refuse it.
 */
const frameDocument = (markup: string, key: string, { nonce, base }: FrameOptions): string =>
  `<!doctype html><html><head><meta charset="utf-8"><base target="_blank"${RELATIVE.test(markup) ? ` href="${escapeHTML(base)}/"` : ''}>` +
  `<script nonce="${escapeHTML(nonce)}" data-key="${key}">${FRAME_BRIDGE}</script></head>` +
  `<body marginwidth="0" marginheight="0">${markup}</body></html>`;

/**
 * Puts the document into the frame. A creative that asks for storage runs in a frame of the
 * creative origin, with `allow-same-origin` there: never on the page's origin or the ad server's.
 * Returns whether a load of the frame is that of the creative.
 */
const fill = (frame: HTMLIFrameElement, html: string, bid: Bid, { base, creativeOrigin }: FrameOptions, scope: Scope): (() => boolean) => {
  const isSeparate = creativeOrigin && ![location.origin, new URL(base, location.href).origin].includes(creativeOrigin);
  if (!isSeparate || !WANTS_STORAGE.test(bid.adm)) {
    frame.setAttribute('sandbox', SANDBOX);
    frame.srcdoc = trustedHTML(html);
    return () => true;
  }
  let isSent = false;
  frame.setAttribute('sandbox', `${SANDBOX} allow-same-origin`);
  frame.src = `${creativeOrigin}/static/sdk/frame.html`;
  scope.listen(window, 'message', ({ source, origin, data }: MessageEvent<unknown>) => {
    if (!source || source !== frame.contentWindow || origin !== creativeOrigin || data !== 'adsdk:frame') return;
    isSent = true;
    frame.contentWindow?.postMessage({ html }, creativeOrigin);
  });
  return () => isSent;
};

/**
 * Shows the creative in a sandboxed frame of the ad's size. Requests the impression when the frame
 * has loaded and a person could see it; resolves when it has loaded, and when the scope ends.
 */
export const renderFrame = (
  container: HTMLElement,
  bid: Bid,
  scope: Scope,
  tracker: Tracker,
  options: FrameOptions,
): Promise<HTMLElement> => {
  const frame = document.createElement('iframe');
  const box = document.createElement('div');
  box.style.cssText = 'position:relative;z-index:0;display:inline-block;vertical-align:top;max-width:100%;line-height:0';
  frame.style.cssText = `display:block;border:0;width:${bid.w ? `${bid.w}px` : '100%'};height:${bid.h ?? 250}px;max-width:100%`;
  frame.title = 'Advertisement';
  frame.setAttribute('scrolling', 'no');
  const key = randomId();
  const isCreative = fill(frame, frameDocument(bid.adm, key, options), bid, options, scope);

  const passes = createMessageGate();
  const needGesture = (container.dataset['gestureEvents'] ?? GESTURE_EVENTS).split(/[\s,]+/);
  scope.listen(window, 'message', ({ source, data }: MessageEvent<Message>) => {
    // A detached frame has no window and a synthetic message no source: null must not match null.
    if (!source || source !== frame.contentWindow || data?.adsdk !== key || !passes()) return;
    // The bridge has seen a trusted event; the page has seen the focus move into the frame with it.
    const isTouched =
      (frame.getRootNode() as Document | ShadowRoot).activeElement === frame && navigator.userActivation?.hasBeenActive !== false;
    const { event } = data;
    if (data.click) {
      if (isTouched) tracker.click();
    } else if (typeof event === 'string' && event && event !== VIEWABLE && event.length <= MAX_TYPE_LENGTH) {
      if (!needGesture.includes(event) || (data.gesture && isTouched)) tracker.event(event);
    }
  });

  return new Promise((resolve) => {
    scope.listen(frame, 'load', () => {
      if (!isCreative()) return;
      whenPerceptible(box, scope, () => tracker.impression());
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
