import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { parseJson } from '../../base/parse-json.ts';
import { servedAsset } from './native-assets.ts';
import { readVideoAd } from './read-video-ad.ts';
import type { BannerAssets, BannerImage, CreativeContent } from '../model/entities.ts';
import type { CreativeFormat } from '../model/choices.ts';
import { quoteFree } from '../../base/quote-free.ts';
import { isSafeUrl } from '../model/is-safe-url.ts';
import { MAX_CONTENT_LENGTH } from '../entities/creative.ts';

/** A fault's pointer leads into the content, '' for the whole of it. */
export type ParsedContent = { readonly content: CreativeContent } | { readonly fault: Fault };

const MAX_DEPTH = 12;
const MAX_VALUES = 2_000;
const MAX_IMAGES = 32;
const MAX_ALT_LENGTH = 1_024;
const MAX_SIDE_PIXELS = 20_000;

/**
 * Reads a creative's stored text into what can be served: markup for `html`, the JSON asset
 * definition for `banner`, any JSON object for `native`. Returns the first fault, and never throws.
 */
export const parseCreativeContent = (format: CreativeFormat, contentText: string): ParsedContent => {
  if (contentText.trim() === '') return fault('', 'must not be empty');
  if (contentText.length > MAX_CONTENT_LENGTH) return fault('', `must not be longer than ${MAX_CONTENT_LENGTH} characters`);
  switch (format) {
    case 'html':
      return { content: { format, markup: contentText } };
    case 'banner':
      return readAssets(format, contentText, (assets) => {
        const banner = readBanner(assets);
        return 'pointer' in banner ? { fault: banner } : { content: { format, banner } };
      });
    case 'native':
      return readAssets(format, contentText, () => ({
        content: { format, assets: JSON.parse(contentText, servedAsset) as Readonly<Record<string, unknown>> },
      }));
    case 'video':
    case 'audio':
      return readAssets(format, contentText, (assets) => {
        const read = readVideoAd(format, assets);
        return 'fault' in read ? read : { content: { format, video: read.video } };
      });
  }
};

type Assets = Readonly<Record<string, unknown>>;

const readAssets = (format: CreativeFormat, contentText: string, read: (assets: Assets) => ParsedContent): ParsedContent => {
  const assets = parseJson(contentText);
  if (!isObject(assets)) return fault('', `must be a JSON object for a ${format} creative`);
  return isBounded(assets) ? read(assets) : fault('', `must not nest deeper than ${MAX_DEPTH} or hold more than ${MAX_VALUES} values`);
};

const fault = (pointer: string, detail: string): { readonly fault: Fault } => ({ fault: { pointer, detail } });

/**
 * Level by level, without recursion: JSON nested 100,000 deep parses, but overflows the stack of a
 * recursive walk.
 */
const isBounded = (root: object): boolean => {
  let level: readonly unknown[] = [root];
  let values = 0;
  for (let depth = 1; level.length > 0; depth++) {
    values += level.length;
    if (depth > MAX_DEPTH || values > MAX_VALUES) return false;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value as Record<string, unknown>) : []));
  }
  return true;
};

const readBanner = ({ image, alt = '', images = [] }: Assets): BannerAssets | Fault => {
  if (typeof image !== 'string' || !isSafeUrl(image)) return { pointer: '/image', detail: 'must be an http, https or root-relative URL' };
  if (typeof alt !== 'string' || alt.length > MAX_ALT_LENGTH)
    return { pointer: '/alt', detail: `must be text of up to ${MAX_ALT_LENGTH} characters` };
  if (!Array.isArray(images) || images.length > MAX_IMAGES) {
    return { pointer: '/images', detail: `must be a list of up to ${MAX_IMAGES} images` };
  }
  const read: BannerImage[] = [];
  for (const [index, candidate] of images.entries()) {
    const one = readImage(candidate);
    if (one === null)
      return { pointer: `/images/${index}`, detail: `must have a url (http, https or root-relative), a width and a height in pixels` };
    read.push(one);
  }
  return { image: quoteFree(image), alt, images: read };
};

const readImage = (value: unknown): BannerImage | null => {
  if (!isObject(value)) return null;
  const { url, width, height } = value;
  return typeof url === 'string' && isSafeUrl(url) && isSide(width) && isSide(height) ? { url: quoteFree(url), width, height } : null;
};

const isSide = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_SIDE_PIXELS;
