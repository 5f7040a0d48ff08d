import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import type { BannerAssets, BannerImage, CreativeContent, CreativeFormat } from '../model/entities.ts';
import { isSafeUrl } from '../model/is-safe-url.ts';

/** A fault's pointer leads into the content, '' for the whole of it. */
export type ParsedContent = { readonly content: CreativeContent } | { readonly fault: Fault };

/** An answer carries the markup of up to 20 impressions: a creative has to stay small against that. UTF-16 units. */
export const LONGEST_CONTENT = 256 * 1024;
const DEEPEST = 12;
const MOST_VALUES = 2_000;
const MOST_IMAGES = 32;
const LONGEST_ALT = 1_024;
const LARGEST_SIDE = 20_000;

/**
 * Content as it is stored, text of a format, into what can be served: markup for `html`, the JSON asset definition for `banner`, any JSON object for
 * `native`. The first fault, never an exception, when it is not that.
 */
export const parseCreativeContent = (format: CreativeFormat, contentText: string): ParsedContent => {
  if (contentText.trim() === '') return fault('', 'must not be empty');
  if (contentText.length > LONGEST_CONTENT) return fault('', `must not be longer than ${LONGEST_CONTENT} characters`);
  if (format === 'html') return { content: { format, markup: contentText } };
  const assets = parseObject(contentText);
  if (assets === null) return fault('', `must be a JSON object for a ${format} creative`);
  if (!isBounded(assets)) return fault('', `must not nest deeper than ${DEEPEST} or hold more than ${MOST_VALUES} values`);
  if (format === 'native') return { content: { format, assets } };
  const banner = readBanner(assets);
  return 'pointer' in banner ? { fault: banner } : { content: { format, banner } };
};

const fault = (pointer: string, detail: string): { readonly fault: Fault } => ({ fault: { pointer, detail } });

const parseObject = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // not JSON: the caller says so
  }
};

/** Level by level rather than by calls: JSON nested 100,000 deep parses, and would then overflow the stack here and in JSON.stringify. */
const isBounded = (root: object): boolean => {
  let level: readonly unknown[] = [root];
  let values = 0;
  for (let depth = 1; level.length > 0; depth++) {
    values += level.length;
    if (depth > DEEPEST || values > MOST_VALUES) return false;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value as Record<string, unknown>) : []));
  }
  return true;
};

const readBanner = ({ image, alt = '', images = [] }: Readonly<Record<string, unknown>>): BannerAssets | Fault => {
  if (typeof image !== 'string' || !isSafeUrl(image)) return { pointer: '/image', detail: 'must be an http, https or root-relative URL' };
  if (typeof alt !== 'string' || alt.length > LONGEST_ALT)
    return { pointer: '/alt', detail: `must be text of up to ${LONGEST_ALT} characters` };
  if (!Array.isArray(images) || images.length > MOST_IMAGES) {
    return { pointer: '/images', detail: `must be a list of up to ${MOST_IMAGES} images` };
  }
  const read: BannerImage[] = [];
  for (const [index, candidate] of images.entries()) {
    const one = readImage(candidate);
    if (one === null)
      return { pointer: `/images/${index}`, detail: `must have a url (http, https or root-relative), a width and a height in pixels` };
    read.push(one);
  }
  return { image, alt, images: read };
};

const readImage = (value: unknown): BannerImage | null => {
  if (!isObject(value)) return null;
  const { url, width, height } = value;
  return typeof url === 'string' && isSafeUrl(url) && isSide(width) && isSide(height) ? { url, width, height } : null;
};

const isSide = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0 && (value as number) <= LARGEST_SIDE;
