import { createScope, type Scope } from './scope.ts';

/**
 * From this area (970 × 250) up, 30 % of the pixels are enough (MRC Viewable Ad Impression
 * Measurement Guidelines).
 */
const LARGE_AREA_PX = 242_500;
const CONTINUOUS_MS = 1000;

/** Default distance from the viewport, in CSS pixels, at which a lazy slot is filled. */
const NEAR_PX = 300;

/**
 * Calls `onViewable` once, when enough of the element was in view for one continuous second while
 * the page was visible.
 */
export const observeViewability = (element: HTMLElement, scope: Scope, onViewable: () => void): void => {
  if (!('IntersectionObserver' in window)) return;
  const watch = createScope();
  scope.add(watch.end);
  const share = element.offsetWidth * element.offsetHeight >= LARGE_AREA_PX ? 0.3 : 0.5;
  let inView = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = (): void => {
    const isSeen = inView && document.visibilityState === 'visible';
    if (!isSeen) {
      clearTimeout(timer);
      timer = undefined;
    } else {
      timer ??= setTimeout(() => {
        watch.end();
        onViewable();
      }, CONTINUOUS_MS);
    }
  };
  const observer = new IntersectionObserver(
    (entries) => {
      inView = entries[entries.length - 1]!.intersectionRatio >= share;
      update();
    },
    { threshold: share },
  );
  observer.observe(element);
  watch.add(() => {
    observer.disconnect();
    clearTimeout(timer);
  });
  watch.listen(document, 'visibilitychange', update);
};

/**
 * For a container with `data-lazy`: resolves when it comes near the viewport (`data-lazy="600"`:
 * within 600 pixels) or when the scope ends. undefined for any other container.
 */
export const whenNear = (container: HTMLElement, scope: Scope): Promise<void> | undefined => {
  const { lazy } = container.dataset;
  if (lazy === undefined || lazy === 'false' || !('IntersectionObserver' in window)) return undefined;
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        resolve();
      },
      { rootMargin: `${parseInt(lazy, 10) || NEAR_PX}px` },
    );
    observer.observe(container);
    scope.add(() => {
      observer.disconnect();
      resolve();
    });
  });
};
