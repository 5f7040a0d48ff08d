import { createScope, type Scope } from './scope.ts';

/** From this area (970 × 250) on, an ad is viewable with 30 % of its pixels (MRC Viewable Ad Impression Measurement Guidelines). */
const LARGE_AREA = 242_500;
const CONTINUOUS_MS = 1000;

/** Calls `onViewable` once: when enough of the element was in view for one continuous second while the page was visible. */
export const observeViewability = (element: HTMLElement, scope: Scope, onViewable: () => void): void => {
  if (!('IntersectionObserver' in window)) return;
  const watch = createScope();
  scope.add(watch.end);
  const share = element.offsetWidth * element.offsetHeight >= LARGE_AREA ? 0.3 : 0.5;
  let inView = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const judge = (): void => {
    const seen = inView && document.visibilityState === 'visible';
    if (!seen) {
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
      judge();
    },
    { threshold: share },
  );
  observer.observe(element);
  watch.add(() => {
    observer.disconnect();
    clearTimeout(timer);
  });
  watch.listen(document, 'visibilitychange', judge);
};
