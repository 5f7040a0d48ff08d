import type { Scope } from './scope.ts';

/** Distance in CSS pixels at which a lazy slot is filled, unless `data-lazy` names another. */
const NEAR = 300;

/** Resolves at once for an ordinary container; for one with `data-lazy`, when it comes near the viewport, or with the end of the scope. */
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
      { rootMargin: `${parseInt(lazy, 10) || NEAR}px` },
    );
    observer.observe(container);
    scope.add(() => {
      observer.disconnect();
      resolve();
    });
  });
};
