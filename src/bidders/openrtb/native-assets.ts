import { parseUrl } from '../../base/parse-url.ts';
import { quoteFree } from '../../base/quote-free.ts';
import { asList, asObject, asText } from './json-fields.ts';

/** Ids of the requested assets; responses refer to them. */
const TITLE = 1;
const IMAGE = 2;
const ICON = 3;
const SPONSORED = 4;
const DESCRIPTION = 5;
const CALL_TO_ACTION = 6;

const MAX_TITLE_LENGTH = 90;
const MAX_TEXT_LENGTH = 200;
const MAX_TRACKERS = 20;

/**
 * Input of the publisher's template. Plain text; URLs are http or https, and https for every
 * resource loaded on a secure page.
 */
export interface NativeAssets {
  readonly title: string;
  /** Click destination. */
  readonly click: string;
  readonly description?: string;
  /** The sponsor, from OpenRTB's "sponsored" data asset; under both names that templates use. */
  readonly brand?: string;
  readonly sponsored?: string;
  readonly cta?: string;
  readonly image?: NativeImage;
  readonly icon?: NativeImage;
  /** Requested as images when the ad is shown or clicked. */
  readonly impression_trackers?: readonly string[];
  readonly click_trackers?: readonly string[];
}

export interface NativeImage {
  readonly url: string;
  readonly w?: number;
  readonly h?: number;
}

/**
 * The OpenRTB Native 1.2 request object for an impression of this size (pixels), sent as a JSON
 * string in `imp.native.request`.
 */
export const nativeRequest = (width: number, height: number): object => ({
  ver: '1.2',
  plcmttype: 1,
  assets: [
    { id: TITLE, required: 1, title: { len: MAX_TITLE_LENGTH } },
    { id: IMAGE, required: 0, img: { type: 3, w: width, h: height } },
    { id: ICON, required: 0, img: { type: 1, wmin: 50, hmin: 50 } },
    { id: SPONSORED, required: 0, data: { type: 1, len: 40 } },
    { id: DESCRIPTION, required: 0, data: { type: 2, len: 140 } },
    { id: CALL_TO_ACTION, required: 0, data: { type: 12, len: 25 } },
  ],
  eventtrackers: [{ event: 1, methods: [1] }],
});

/**
 * Converts a parsed OpenRTB Native 1.x response, bare or under a `native` key, to the assets of the
 * template. Script trackers are omitted: no code of a bidder runs in the publisher's page.
 */
export const readNativeAssets = (markup: unknown, secure: boolean): NativeAssets | 'bad_native' | 'not_secure' => {
  const outer = asObject(markup);
  const native = asObject(outer?.['native']) ?? outer;
  const link = asObject(native?.['link']);
  const assets = asList(native?.['assets']);
  const click = webUrl(link?.['url']);
  if (native === null || link === null || assets === null || click === null) return 'bad_native';

  const byId = new Map(assets.map((asset) => [asObject(asset)?.['id'], asObject(asset)]));
  const text = (id: number): string => asText(asObject(byId.get(id)?.['data'])?.['value'], MAX_TEXT_LENGTH);
  const title = asText(asObject(byId.get(TITLE)?.['title'])?.['text'], MAX_TITLE_LENGTH * 2);
  if (title === '') return 'bad_native';
  const image = readImage(byId.get(IMAGE)?.['img']);
  const icon = readImage(byId.get(ICON)?.['img']);
  const impressionTrackers = webUrls([
    ...(asList(native['imptrackers']) ?? []),
    ...impressionPixels(asList(native['eventtrackers']) ?? []),
  ]);
  const clickTrackers = webUrls(asList(link['clicktrackers']) ?? []);
  const loaded = [...impressionTrackers, ...clickTrackers, ...(image ? [image.url] : []), ...(icon ? [icon.url] : [])];
  if (secure && loaded.some((url) => !url.toLowerCase().startsWith('https:'))) return 'not_secure';

  const sponsor = text(SPONSORED);
  return {
    title,
    click,
    ...(text(DESCRIPTION) !== '' && { description: text(DESCRIPTION) }),
    ...(sponsor !== '' && { brand: sponsor, sponsored: sponsor }),
    ...(text(CALL_TO_ACTION) !== '' && { cta: text(CALL_TO_ACTION) }),
    ...(image && { image }),
    ...(icon && { icon }),
    ...(impressionTrackers.length > 0 && { impression_trackers: impressionTrackers }),
    ...(clickTrackers.length > 0 && { click_trackers: clickTrackers }),
  };
};

const readImage = (value: unknown): NativeImage | null => {
  const image = asObject(value);
  const url = webUrl(image?.['url']);
  if (image === null || url === null) return null;
  const { w, h } = image;
  return { url, ...(isPixels(w) && { w }), ...(isPixels(h) && { h }) };
};

const isPixels = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0;

/** Event 1 is the impression, method 1 an image. */
const impressionPixels = (trackers: readonly unknown[]): readonly unknown[] =>
  trackers.map(asObject).flatMap((tracker) => (tracker?.['event'] === 1 && tracker['method'] === 1 ? [tracker['url']] : []));

const webUrls = (values: readonly unknown[]): readonly string[] => values.slice(0, MAX_TRACKERS).flatMap((value) => webUrl(value) ?? []);

/**
 * An absolute http(s) URL, normalized and without quotes: never `javascript:` or `data:`, which a
 * template would put into a link, and nothing that ends an attribute of a template.
 */
const webUrl = (value: unknown): string | null => {
  const url = typeof value === 'string' && /^https?:\/\//i.test(value) ? parseUrl(value) : undefined;
  return url ? quoteFree(url.href) : null;
};
