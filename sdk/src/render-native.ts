import type { Bid, NativeAssets, TemplateFn } from './contract.ts';
import type { escapeHTML, trustedHTML } from './html.ts';
import { sanitizeAssets } from './sanitize-assets.ts';
import type { Scope } from './scope.ts';
import { VIEWABLE, type Tracker } from './tracker.ts';
import type { whenPerceptible } from './visibility.ts';

/** Functions of the SDK: this file is loaded apart from it, with the first native ad. */
export interface NativeTools {
  readonly escapeHTML: typeof escapeHTML;
  readonly trustedHTML: typeof trustedHTML;
  readonly whenPerceptible: typeof whenPerceptible;
}

interface Parts {
  readonly assets: NativeAssets;
  readonly onImpression: unknown;
  readonly onClick: unknown;
}

/**
 * Separates the assets for the template from the bidder's trackers. Throws when `adm` is not a JSON
 * object.
 */
const partsOf = (bid: Bid, base: string): Parts => {
  const parsed: unknown = JSON.parse(bid.adm);
  if (typeof parsed !== 'object' || !parsed || Array.isArray(parsed)) throw new Error('the native ad is not a JSON object');
  const { impression_trackers: onImpression, click_trackers: onClick, ...assets } = parsed as Readonly<Record<string, unknown>>;
  const clickUrl = bid.ext?.click_url;
  return { assets: sanitizeAssets(clickUrl ? { ...assets, clickUrl } : assets, base) as NativeAssets, onImpression, onClick };
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
  if (type) return type === VIEWABLE ? undefined : tracker.event(type);
  const href = hit.getAttribute('href');
  if (href && !/^\s*(#|javascript:)/i.test(href) && !hit.hasAttribute('data-adsdk-report')) tracker.click();
};

/**
 * Fills the container with the output of the page's template and requests the impression, when a
 * person could see the ad. Relative addresses in the assets become those of `base`. Rejects when
 * the template throws.
 */
export const renderNative = async (
  container: HTMLElement,
  bid: Bid,
  scope: Scope,
  tracker: Tracker,
  templateFn: TemplateFn,
  base: string,
  { escapeHTML, trustedHTML, whenPerceptible }: NativeTools,
): Promise<HTMLElement> => {
  const { assets, onImpression, onClick } = partsOf(bid, base);
  const html = await templateFn(assets, { escapeHTML });
  if (scope.ended()) return container;
  container.innerHTML = trustedHTML(String(html));
  scope.add(() => container.replaceChildren());
  // A script of the page can click, a person's click is trusted.
  const onAdClick = ({ target, isTrusted }: Event): void => {
    if (isTrusted) trackClick(target, container, { ...tracker, click: () => tracker.click(onClick) });
  };
  scope.listen(container, 'click', onAdClick);
  scope.listen(container, 'auxclick', (event: MouseEvent) => {
    if (event.button === 1 && event.target instanceof Element && event.target.closest('a[href]')) onAdClick(event);
  });
  whenPerceptible(container, scope, () => tracker.impression(onImpression));
  return container;
};
