import type { Bid, NativeAssets, TemplateFn } from './contract.ts';
import { escapeHTML } from './escape-html.ts';
import { sanitizeAssets } from './sanitize-assets.ts';
import type { Scope } from './scope.ts';
import type { Tracker } from './tracker.ts';
import { trustedHTML } from './trusted-html.ts';

interface Parts {
  readonly assets: NativeAssets;
  readonly onImpression: unknown;
  readonly onClick: unknown;
}

/** The creative's assets as a template may use them, and apart from them its seller's trackers. Throws when they are not a JSON object. */
const partsOf = (bid: Bid): Parts => {
  const parsed: unknown = JSON.parse(bid.adm);
  if (typeof parsed !== 'object' || !parsed || Array.isArray(parsed)) throw new Error('the native ad has no assets');
  const { impression_trackers: onImpression, click_trackers: onClick, ...assets } = parsed as Readonly<Record<string, unknown>>;
  const clickUrl = bid.ext?.click_url;
  return { assets: sanitizeAssets(clickUrl ? { ...assets, clickUrl } : assets) as NativeAssets, onImpression, onClick };
};

/** What a click in a native ad means: an event, a visit to the advertiser, or nothing. The report button is its own listener's. */
const judgeClick = (target: EventTarget | null, container: Element, tracker: Pick<Tracker, 'click' | 'event'>): void => {
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
  const { assets, onImpression, onClick } = partsOf(bid);
  const html = await templateFn(assets, { escapeHTML });
  if (scope.ended()) return container;
  container.innerHTML = trustedHTML(String(html));
  scope.add(() => container.replaceChildren());
  const judge = ({ target }: Event): void => judgeClick(target, container, { ...tracker, click: () => tracker.click(onClick) });
  scope.listen(container, 'click', judge);
  scope.listen(container, 'auxclick', (event: MouseEvent) => {
    if (event.button === 1 && event.target instanceof Element && event.target.closest('a[href]')) judge(event);
  });
  tracker.impression(onImpression);
  return container;
};
