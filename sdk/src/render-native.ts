import type { Bid, NativeAssets, TemplateFn } from './contract.ts';
import { escapeHTML, trustedHTML } from './html.ts';
import { sanitizeAssets } from './sanitize-assets.ts';
import type { Scope } from './scope.ts';
import type { Tracker } from './tracker.ts';

interface Parts {
  readonly assets: NativeAssets;
  readonly onImpression: unknown;
  readonly onClick: unknown;
}

/**
 * Separates the assets for the template from the bidder's trackers. Throws when `adm` is not a JSON
 * object.
 */
const partsOf = (bid: Bid): Parts => {
  const parsed: unknown = JSON.parse(bid.adm);
  if (typeof parsed !== 'object' || !parsed || Array.isArray(parsed)) throw new Error('the native ad is not a JSON object');
  const { impression_trackers: onImpression, click_trackers: onClick, ...assets } = parsed as Readonly<Record<string, unknown>>;
  const clickUrl = bid.ext?.click_url;
  return { assets: sanitizeAssets(clickUrl ? { ...assets, clickUrl } : assets) as NativeAssets, onImpression, onClick };
};

/**
 * Reports a click in a native ad as an event, as a click, or not at all. The report button has its
 * own listener.
 */
const trackClick = (target: EventTarget | null, container: Element, tracker: Pick<Tracker, 'click' | 'event'>): void => {
  if (!(target instanceof Element)) return;
  const hit = target.closest('[data-ad-event],[data-adsdk-report],a[href],area[href],input,select,textarea,label,summary');
  if (!hit || !container.contains(hit)) return tracker.click();
  const type = hit.getAttribute('data-ad-event');
  if (type) return tracker.event(type);
  const href = hit.getAttribute('href');
  if (href && !/^\s*(#|javascript:)/i.test(href) && !hit.hasAttribute('data-adsdk-report')) tracker.click();
};

/**
 * Fills the container with the output of the page's template and requests the impression. Rejects
 * when the template throws.
 */
export const renderNative = async (
  container: HTMLElement,
  bid: Bid,
  scope: Scope,
  tracker: Tracker,
  templateFn: TemplateFn,
): Promise<HTMLElement> => {
  const { assets, onImpression, onClick } = partsOf(bid);
  const html = await templateFn(assets, { escapeHTML });
  if (scope.ended()) return container;
  container.innerHTML = trustedHTML(String(html));
  scope.add(() => container.replaceChildren());
  const onAdClick = ({ target }: Event): void => trackClick(target, container, { ...tracker, click: () => tracker.click(onClick) });
  scope.listen(container, 'click', onAdClick);
  scope.listen(container, 'auxclick', (event: MouseEvent) => {
    if (event.button === 1 && event.target instanceof Element && event.target.closest('a[href]')) onAdClick(event);
  });
  tracker.impression(onImpression);
  return container;
};
