import type { Fault } from '../targeting/fault.ts';
import type { BannerImage, CreativeContent, CreativeFormat } from './entities.ts';

export type ParsedContent =
  { readonly ok: true; readonly content: CreativeContent } | { readonly ok: false; readonly faults: readonly Fault[] };

/** Reads a creative's content by its format: html as it is; a banner's JSON needs an image; native is any JSON object. */
export const parseCreativeContent = (format: CreativeFormat, text: string): ParsedContent => {
  if (format === 'html') return { ok: true, content: { format, markup: text } };
  const assets = parseObject(text);
  if (assets === undefined) return refuse([`must be the text of a JSON object for format ${format}`]);
  if (format === 'native') return { ok: true, content: { format, assets } };

  const details: string[] = [];
  const { image, alt = '', images = [] } = assets;
  if (!isImageUrl(image)) details.push('image must be a URL');
  if (typeof alt !== 'string') details.push('alt must be a string');
  if (!Array.isArray(images)) details.push('images must be a list');
  else images.forEach((each: unknown, i) => isBannerImage(each) || details.push(`images[${i}] must have url, width and height`));
  if (details.length > 0) return refuse(details);
  const listed = (images as readonly BannerImage[]).map(({ url, width, height }) => ({ url, width, height }));
  return { ok: true, content: { format, banner: { image: image as string, alt: alt as string, images: listed } } };
};

const refuse = (details: readonly string[]): ParsedContent => ({
  ok: false,
  faults: details.map((detail) => ({ pointer: '/content', detail })),
});

const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Broken JSON is an answer here, not a fault of ours: the caller reports it.
    return undefined;
  }
};

/** Absolute, or relative to the page; never a scheme that runs something. */
const isImageUrl = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  URL.canParse(value, RELATIVE_TO) &&
  ['http:', 'https:', 'data:'].includes(new URL(value, RELATIVE_TO).protocol);
const RELATIVE_TO = 'https://page.invalid/';

const isBannerImage = (value: unknown): value is BannerImage => {
  if (typeof value !== 'object' || value === null) return false;
  const { url, width, height } = value as Record<string, unknown>;
  return isImageUrl(url) && [width, height].every((pixels) => Number.isSafeInteger(pixels) && (pixels as number) > 0);
};
