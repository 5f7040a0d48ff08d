import type { BannerAssets, BannerImage, Creative, CreativeContent, VideoContent } from '../catalog/model/entities.ts';
import { isSafeUrl } from '../catalog/model/is-safe-url.ts';
import { absoluteAddress, absoluteAssets, absoluteMarkup, NO_ADDRESSES, type Addresses } from './absolute-address.ts';
import { escapeHtml } from './escape-html.ts';

/** The size that the creative is rendered for, in CSS pixels. */
export interface Slot {
  readonly width: number;
  readonly height: number;
}

/** What is shown in a page; a player plays the other (vast/compose-vast.ts). */
export type MarkupContent = Exclude<CreativeContent, VideoContent>;

/**
 * The `adm` of a bid: for `html` the advertiser's markup, macros included, in which only the paths
 * of uploaded files become absolute; for `banner` one responsive image; for `native` the assets as
 * JSON text.
 *
 * A pure function of an immutable creative and a size, so its results may be kept with the
 * snapshot.
 *
 * @param counter counts a click and redirects: a banner links to it instead, where no script of ours renders it
 */
export const composeMarkup = (
  { content, clickUrl }: { readonly content: MarkupContent; readonly clickUrl: Creative['clickUrl'] },
  size: Slot,
  addresses = NO_ADDRESSES,
  counter?: string,
): string => {
  switch (content.format) {
    case 'html':
      return absoluteMarkup(content.markup, addresses);
    case 'banner':
      return composeLink(clickUrl === null ? null : (counter ?? clickUrl), composeImage(withAddresses(content.banner, addresses), size));
    case 'native':
      return addresses === NO_ADDRESSES ? JSON.stringify(content.assets) : absoluteAssets(content.assets, addresses);
  }
};

const withAddresses = (banner: BannerAssets, addresses: Addresses): BannerAssets => ({
  ...banner,
  image: absoluteAddress(banner.image, addresses),
  images: banner.images.map((image) => ({ ...image, url: absoluteAddress(image.url, addresses) })),
});

/**
 * Links to the advertiser itself: the script that renders the ad counts the click, and the link
 * works on a page without it.
 */
const composeLink = (clickUrl: string | null, image: string): string =>
  clickUrl === null || !isSafeUrl(clickUrl)
    ? image
    : `<a href="${escapeHtml(clickUrl)}" target="_blank" rel="noopener noreferrer sponsored">${image}</a>`;

/**
 * Never wider than the size or its container, in its own proportions, without the gap under an
 * inline image.
 */
const composeImage = ({ image, alt, images }: BannerAssets, { width, height }: Slot): string => {
  const sources = describeSources(image, images, { width, height });
  const choice = sources === '' ? '' : ` srcset="${escapeHtml(sources)}" sizes="(max-width: ${width}px) 100vw, ${width}px"`;
  return (
    `<img src="${escapeHtml(image)}"${choice} alt="${escapeHtml(alt)}" width="${width}" height="${height}"` +
    ` style="display:block;max-width:100%;height:auto;border:0">`
  );
};

/**
 * The `srcset` by width: the browser picks by the density of the screen and the width in `sizes`. A
 * srcset is for one picture in several sizes, so images of the size's proportions (within 5 %) are
 * used alone when there are any. The default image counts as of the size's width unless a described
 * image has its URL.
 */
const describeSources = (image: string, images: readonly BannerImage[], size: Slot): string => {
  const alike = images.filter(({ width, height }) => Math.abs((width * size.height) / (height * size.width) - 1) <= 0.05);
  const described = alike.length > 0 ? alike : images;
  if (described.length === 0) return '';
  const byWidth = new Map<number, string>();
  for (const { url, width } of described) if (!byWidth.has(width)) byWidth.set(width, url);
  if (!images.some(({ url }) => url === image) && !byWidth.has(size.width)) byWidth.set(size.width, image);
  return [...byWidth]
    .sort(([a], [b]) => a - b)
    .map(([width, url]) => `${inSrcset(url)} ${width}w`)
    .join(', ');
};

/**
 * Percent-encodes white space, which separates the parts of a srcset, and commas at a URL's end,
 * which separate its entries (HTML standard, "parse a srcset attribute").
 */
const inSrcset = (url: string): string => url.replace(/\s|,+$/g, (found) => found.replace(/./gs, encodeURIComponent));
