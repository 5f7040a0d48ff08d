import type { BannerAssets, BannerImage, Creative } from '../catalog/model/entities.ts';
import { isSafeUrl } from '../catalog/model/is-safe-url.ts';
import { escapeHtml } from './escape-html.ts';

/** The slot that the creative is rendered for, in CSS pixels. */
export interface Slot {
  readonly width: number;
  readonly height: number;
}

/**
 * `adm` of a bid: the advertiser's markup unchanged for `html` (no macro is touched: the specification says unchanged), one responsive image for
 * `banner`, the assets' JSON text for `native`.
 *
 * A pure function of an immutable creative and a size, so what it gives for a creative and a size may be kept as long as the snapshot.
 */
export const composeMarkup = (creative: Pick<Creative, 'content' | 'clickUrl'>, slot: Slot): string => {
  const { content } = creative;
  if (content.format === 'html') return content.markup;
  if (content.format === 'native') return JSON.stringify(content.assets);
  const image = composeImage(content.banner, slot);
  if (creative.clickUrl === null || !isSafeUrl(creative.clickUrl)) return image;
  // To the advertiser itself: the script that renders the ad counts the click, and a page without it still leads somewhere.
  return `<a href="${escapeHtml(creative.clickUrl)}" target="_blank" rel="noopener noreferrer sponsored">${image}</a>`;
};

/** Never wider than the slot nor than what holds it, in its own proportions, without the gap that an inline image leaves under itself. */
const composeImage = ({ image, alt, images }: BannerAssets, { width, height }: Slot): string => {
  const sources = describeSources(image, images, { width, height });
  const choice = sources === '' ? '' : ` srcset="${escapeHtml(sources)}" sizes="(max-width: ${width}px) 100vw, ${width}px"`;
  return (
    `<img src="${escapeHtml(image)}"${choice} alt="${escapeHtml(alt)}" width="${width}" height="${height}"` +
    ` style="display:block;max-width:100%;height:auto;border:0">`
  );
};

/**
 * The candidates by width: the browser picks by the density of the screen and the room that `sizes` gives. Images of the slot's proportions (within a
 * twentieth) are preferred, because a srcset is for one picture in several sizes; when there is none, all stand. The default image is the slot's
 * width unless a described one has its URL.
 */
const describeSources = (image: string, images: readonly BannerImage[], slot: Slot): string => {
  const alike = images.filter(({ width, height }) => Math.abs((width * slot.height) / (height * slot.width) - 1) <= 0.05);
  const described = alike.length > 0 ? alike : images;
  if (described.length === 0) return '';
  const byWidth = new Map<number, string>();
  for (const { url, width } of described) if (!byWidth.has(width)) byWidth.set(width, url);
  if (!images.some(({ url }) => url === image) && !byWidth.has(slot.width)) byWidth.set(slot.width, image);
  return [...byWidth]
    .sort(([a], [b]) => a - b)
    .map(([width, url]) => `${inSrcset(url)} ${width}w`)
    .join(', ');
};

/** A srcset is split at white space, and a comma at a URL's end is taken for the separator (HTML, "parse a srcset attribute"): those are percent-encoded. */
const inSrcset = (url: string): string => url.replace(/\s|,+$/g, (found) => found.replace(/./gs, encodeURIComponent));
