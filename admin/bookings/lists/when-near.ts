import { nothing, type ElementPart } from 'lit-html';
import { AsyncDirective, directive } from 'lit-html/async-directive.js';

/** How far below the screen an element may be to be near. */
const MARGIN = '800px';

class WhenNear extends AsyncDirective {
  private observer: IntersectionObserver | undefined;
  private run: (() => unknown) | undefined;

  override render(_run: () => unknown): typeof nothing {
    return nothing;
  }

  override update({ element }: ElementPart, [run]: [() => unknown]): typeof nothing {
    this.run = run;
    // A fresh observer reports where the element is now, after rows were added before it.
    this.observer?.disconnect();
    this.observer = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && void this.run?.(), {
      rootMargin: MARGIN,
    });
    this.observer.observe(element);
    return nothing;
  }

  override disconnected(): void {
    this.observer?.disconnect();
  }
}

/** Calls a function when the element is, or is about to be, in view: `<p ${whenNear(run)}>`. */
export const whenNear = directive(WhenNear);
