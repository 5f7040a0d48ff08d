import type { Bid, NativeAssets, TemplateFn } from './contract.ts';
import { escapeHTML } from './escape-html.ts';
import { sanitizeAssets } from './sanitize-assets.ts';
import type { Scope } from './scope.ts';
import type { Tracker } from './tracker.ts';
import { trustedHTML } from './trusted-html.ts';

/** The creative's assets as a template may use them. Throws when they are not a JSON object. */
const assetsOf = (bid: Bid): NativeAssets => {
  const assets: unknown = JSON.parse(bid.adm);
  if (typeof assets !== 'object' || !assets || Array.isArray(assets)) throw new Error('the native ad has no assets');
  const clickUrl = bid.ext?.click_url;
  return sanitizeAssets(clickUrl ? { ...assets, clickUrl } : assets) as NativeAssets;
};

/** What a click in a native ad means: an event, a visit to the advertiser, or nothing. The report button is its own listener's. */
const onClick = (target: EventTarget | null, container: Element, tracker: Tracker): void => {
  if (!(target instanceof Element)) return;
  const hit = target.closest('[data-ad-event],[data-adsdk-report],a[href],area[href],input,select,textarea,label,summary');
  if (!hit || !container.contains(hit)) return tracker.click();
  const type = hit.getAttribute('data-ad-event');
  if (type) return tracker.event(type);
  const href = hit.getAttribute('href');
  if (href && !/^\s*(#|javascript:)/i.test(href) && !hit.hasAttribute('data-adsdk-report')) tracker.click();
};

/** Fills the container from the page's template and requests the impression. Rejects when the template throws. */
export const renderNative = async (
  container: HTMLElement,
  bid: Bid,
  scope: Scope,
  tracker: Tracker,
  templateFn: TemplateFn,
): Promise<HTMLElement> => {
  const html = await templateFn(assetsOf(bid), { escapeHTML });
  if (scope.ended()) return container;
  container.innerHTML = trustedHTML(String(html));
  scope.add(() => container.replaceChildren());
  scope.listen(container, 'click', (event) => onClick(event.target, container, tracker));
  scope.listen(container, 'auxclick', (event: MouseEvent) => {
    if (event.button === 1 && event.target instanceof Element && event.target.closest('a[href]')) onClick(event.target, container, tracker);
  });
  tracker.impression();
  return container;
};
