import { onServer } from './server-address.ts';

/** Names of assets that are texts: "JavaScript: the course" is a title, not a URL. */
const WORDS = /(title|description|brand|sponsored|offer|text|name|label|headline|body|alt|caption|cta|price)$/i;
/** Names of assets that are URLs: their values must resolve to http(s). */
const ADDRESSES = /ur[il]|href|link|click|src|image|img|icon|logo|background|video|landing/i;

/** A path is one of the ad server, not of the page. */
const absolute = (value: string, base: string): string => (/^\/(?!\/)\S*$/.test(value) ? onServer(base, value) : value);

/** A quote or a space in a URL would end the attribute of a template and begin another. */
const quoteFree = (value: string, key: string, base: string): string =>
  ADDRESSES.test(key) || /^https?:/i.test(value)
    ? absolute(value.trim(), base).replace(/["'`<>\\\s\0-\x1f\x7f]/g, (sign) => (sign === "'" ? '%27' : encodeURIComponent(sign)))
    : value;

const isUnsafe = (key: string, value: string, base: string): boolean => {
  try {
    if (WORDS.test(key)) return false;
    const address = ADDRESSES.test(key);
    // Like a browser, the URL parser removes white space and control characters that hide a scheme.
    const { protocol } = address ? new URL(value, base) : new URL(value);
    if (/^https?:$/.test(protocol)) return false;
    return address || !/\s/.test(value.trim()) || /^(javascript|vbscript|data|blob|file):$/.test(protocol);
  } catch {
    return false; // Not a URL.
  }
};

/**
 * Copies native assets, at any depth, without URLs that are neither http(s) nor relative. Paths
 * become addresses on `base`, and quotes in URLs are encoded, so that a template can use an asset
 * as `href` or `src`. Texts still need escaping.
 */
export const sanitizeAssets = (assets: unknown, base: string, key = ''): unknown => {
  if (typeof assets === 'string') return isUnsafe(key, assets, base) ? undefined : WORDS.test(key) ? assets : quoteFree(assets, key, base);
  if (Array.isArray(assets)) return assets.map((item) => sanitizeAssets(item, base, key)).filter((item) => item !== undefined);
  if (typeof assets !== 'object' || assets === null) return assets;
  return Object.fromEntries(
    Object.entries(assets)
      .map(([name, value]) => [name, sanitizeAssets(value, base, name)] as const)
      .filter(([, value]) => value !== undefined),
  );
};
