import { createScope, type Scope } from './scope.ts';

/**
 * From this area (970 × 250) up, 30 % of the pixels are enough (MRC Viewable Ad Impression
 * Measurement Guidelines).
 */
const LARGE_AREA_PX = 242_500;
const DISPLAY_MS = 1000;
/** Of a video of any size. */
const VIDEO_SHARE = 0.5;
const VIDEO_MS = 2000;
/** Smaller in one direction is a pixel, not an ad. */
const MIN_SIDE_PX = 2;
/** How often a hidden or covered element is looked at again. */
const LOOK_AGAIN_MS = 250;

/** Default distance from the viewport, in CSS pixels, at which a lazy slot is filled. */
const NEAR_PX = 300;

/** Calls `on` with how the element is in view, now and when that changes. */
const observe = (
  element: Element,
  scope: Scope,
  options: IntersectionObserverInit,
  on: (entry: IntersectionObserverEntry) => void,
): void => {
  const observer = new IntersectionObserver((entries) => on(entries[entries.length - 1]!), options);
  observer.observe(element);
  scope.add(() => observer.disconnect());
};

interface InView {
  /** Share of the element's pixels, 0 to 1. */
  readonly share: number;
  readonly forMs: number;
  /** Whether the time begins again after each interruption. */
  readonly continuous: boolean;
}

/**
 * Calls `done` once, when enough of the element has been in view for long enough while the page
 * was visible.
 */
export const afterInView = (element: HTMLElement, scope: Scope, { share, forMs, continuous }: InView, done: () => void): void => {
  const watch = createScope();
  scope.add(watch.end);
  let inView = false;
  let leftMs = forMs;
  let since = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = (): void => {
    const isSeen = inView && document.visibilityState === 'visible';
    if (isSeen && !timer) {
      since = performance.now();
      timer = setTimeout(() => {
        watch.end();
        done();
      }, leftMs);
    } else if (!isSeen && timer) {
      clearTimeout(timer);
      timer = undefined;
      if (!continuous) leftMs -= performance.now() - since;
    }
  };
  observe(element, watch, { threshold: share }, ({ intersectionRatio }) => {
    inView = intersectionRatio >= share;
    update();
  });
  watch.add(() => clearTimeout(timer));
  watch.listen(document, 'visibilitychange', update);
};

export const shareOf = ({ offsetWidth, offsetHeight }: HTMLElement): number => (offsetWidth * offsetHeight >= LARGE_AREA_PX ? 0.3 : 0.5);

/** Calls `onViewable` once, when the ad is viewable as the MRC defines it: of a video half for two seconds, however large it is. */
export const observeViewability = (element: HTMLElement, scope: Scope, isVideo: boolean, onViewable: () => void): void =>
  afterInView(
    element,
    scope,
    { share: isVideo ? VIDEO_SHARE : shareOf(element), forMs: isVideo ? VIDEO_MS : DISPLAY_MS, continuous: true },
    onViewable,
  );

/** Whether styles let a person see the element, wherever it is in the page. */
const isDisplayed = (element: HTMLElement): boolean =>
  element.getClientRects().length > 0 &&
  element.offsetWidth >= MIN_SIDE_PX &&
  element.checkVisibility?.({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: false }) !== false;

/** Points of an element that are looked at, as shares of its visible part. */
const POINTS = [0.1, 0.5, 0.9];

/**
 * Whether other elements lie over all of the element's part in the viewport, or an ancestor cuts
 * it off. false where that cannot be known: outside the viewport, and for an element that takes no
 * pointer events.
 */
const isCovered = (element: HTMLElement): boolean => {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const [x1, y1, x2, y2] = [Math.max(left, 0), Math.max(top, 0), Math.min(right, innerWidth), Math.min(bottom, innerHeight)];
  if (x2 - x1 < 1 || y2 - y1 < 1 || getComputedStyle(element).pointerEvents === 'none') return false;
  const root = element.getRootNode() as Document | ShadowRoot;
  return !POINTS.some((x) => POINTS.some((y) => element.contains(root.elementFromPoint(x1 + (x2 - x1) * x, y1 + (y2 - y1) * y))));
};

/** Whether a person could see the ad when its place in the page is in view: not hidden, a pixel, or covered. */
const isPerceptible = (ad: HTMLElement): boolean => isDisplayed(ad) && ad.offsetHeight >= MIN_SIDE_PX && !isCovered(ad);

/** Calls `then` when the condition holds: immediately if it does. Not after the scope's end. */
const once = (condition: () => boolean, scope: Scope, then: () => void): void => {
  if (scope.ended()) return;
  if (condition()) return then();
  const timer = setTimeout(() => once(condition, scope, then), LOOK_AGAIN_MS);
  scope.add(() => clearTimeout(timer));
};

/** Calls `then` when a person could see the ad: an impression of a hidden or covered ad is none. */
export const whenPerceptible = (ad: HTMLElement, scope: Scope, then: () => void): void => once(() => isPerceptible(ad), scope, then);

/**
 * Resolves when a hidden container is displayed, or when the scope ends. undefined: it is
 * displayed.
 */
const whenDisplayed = (container: HTMLElement, scope: Scope): Promise<void> | undefined =>
  isDisplayed(container)
    ? undefined
    : new Promise((resolve) => {
        scope.add(resolve);
        once(() => isDisplayed(container), scope, resolve);
      });

/**
 * For a container with `data-lazy`: resolves when it comes near the viewport (`data-lazy="600"`:
 * within 600 pixels) or when the scope ends. undefined for any other container.
 */
const whenNear = (container: HTMLElement, scope: Scope): Promise<void> | undefined => {
  const { lazy } = container.dataset;
  if (lazy === undefined || lazy === 'false') return undefined;
  const watch = createScope();
  scope.add(watch.end);
  return new Promise((resolve) => {
    watch.add(resolve);
    observe(container, watch, { rootMargin: `${parseInt(lazy, 10) || NEAR_PX}px` }, ({ isIntersecting }) => isIntersecting && watch.end());
  });
};

/**
 * Resolves when a slot may ask for an ad: it is displayed, and near the viewport where it is lazy;
 * or when the scope ends. undefined: it may ask now.
 */
export const whenMayAsk = (container: HTMLElement, scope: Scope): Promise<void> | undefined => {
  const displayed = whenDisplayed(container, scope);
  return displayed ? displayed.then(() => (scope.ended() ? undefined : whenNear(container, scope))) : whenNear(container, scope);
};
