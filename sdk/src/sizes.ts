import type { Size } from './contract.ts';

/**
 * The sizes of a slot in this viewport, from `data-sizes`, which reads like the `sizes` of an
 * image: entries between commas, each with an optional media condition and one or more sizes. The
 * first entry whose condition holds applies; its first size is preferred.
 *
 * `(min-width: 970px) 970x250 728x90, (min-width: 728px) 728x90, 320x100 320x50`
 */
export const parseSizes = (text: string): readonly Size[] => {
  // A comma inside the parentheses of a condition separates nothing.
  for (const entry of text.split(/,(?![^(]*\))/)) {
    const [, condition = '', list = ''] = /^\s*(\(.*\)|)\s*([\dx\s]*)$/i.exec(entry) ?? [];
    const sizes = [...list.matchAll(/(\d+)x(\d+)/gi)].map(([, w, h]) => ({ w: Number(w), h: Number(h) }));
    if (sizes.length && (!condition || matchMedia(condition).matches)) return sizes;
  }
  return [];
};

/**
 * Reserves the height of the tallest size, for a container that the page's styles leave lower.
 * Returns whether it had to: the page may have shifted.
 */
export const reserveBox = (container: HTMLElement, sizes: readonly Size[]): boolean => {
  const height = Math.max(0, ...sizes.map(({ h }) => h));
  if (container.offsetHeight >= height) return false;
  container.style.minHeight = `${height}px`;
  return true;
};
