import { isObject } from '../../../src/base/narrow.ts';
import { parseJson } from '../../../src/base/parse-json.ts';
import { textOf } from '../../bookings/forms/typed-text.ts';

/** The assets of a banner or native creative, by name. */
export type Assets = Readonly<Record<string, unknown>>;

/**
 * The content as an object; undefined when it is not a JSON object. Empty text is an empty object.
 */
export const assetsOf = (content: unknown): Assets | undefined => {
  const text = textOf(content).trim();
  if (text === '') return {};
  // What is no JSON is usually being typed: the form shows it as text.
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
};

/** The content with one asset changed; an empty asset is removed. */
export const withAsset = (content: unknown, name: string, value: unknown): string => {
  const { [name]: _, ...others } = assetsOf(content) ?? {};
  const isEmpty = value === '' || value === undefined || (Array.isArray(value) && value.length === 0);
  return JSON.stringify(isEmpty ? others : { ...assetsOf(content), [name]: value }, undefined, 2);
};

/**
 * A banner with an uploaded picture: in place of its picture, or as one more size of it. Each is
 * listed with its size, by which the browser chooses.
 */
export const withPicture = (
  content: unknown,
  picture: { readonly url: string; readonly width: number | null; readonly height: number | null },
  as: 'main' | 'size',
): string => {
  const { image, images, ...others } = assetsOf(content) ?? {};
  const listed = (Array.isArray(images) ? (images as readonly { readonly url?: unknown }[]) : []).filter(
    ({ url }) => url !== picture.url && (as === 'size' || url !== image),
  );
  const main = as === 'main' || image === undefined ? picture.url : image;
  return JSON.stringify({ image: main, ...others, images: [...listed, picture] }, undefined, 2);
};

/**
 * Markup that shows an HTML5 ad in a frame. The fragment gives it its click address, so
 * that the page of the ad is one file for all impressions.
 */
export const html5Markup = (url: string, { width, height }: { readonly width: number | null; readonly height: number | null }): string =>
  `<iframe src="${url}#clickTag=\${CLICK_URL_ENC}" width="${width ?? '100%'}" height="${height ?? '100%'}"` +
  ` sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" scrolling="no" style="display:block;border:0" title="Advertisement"></iframe>`;
