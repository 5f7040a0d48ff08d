/** Names of assets that are texts: "JavaScript: the course" is a title, not a URL. */
const WORDS = /(title|description|brand|sponsored|offer|text|name|label|headline|body|alt|caption|cta|price)$/i;
/** Names of assets that are URLs: their values must resolve to http(s). */
const ADDRESSES = /ur[il]|href|link|click|src|image|img|icon|logo|background|video|landing/i;

/** A quote or a space in a URL would end the attribute of a template and begin another. */
const quoteFree = (value: string, key: string): string =>
  ADDRESSES.test(key) || /^https?:/i.test(value)
    ? value.trim().replace(/["'`<>\\\s\0-\x1f\x7f]/g, (sign) => (sign === "'" ? '%27' : encodeURIComponent(sign)))
    : value;

const isUnsafe = (key: string, value: string, page: string): boolean => {
  try {
    if (WORDS.test(key)) return false;
    const address = ADDRESSES.test(key);
    // Like a browser, the URL parser removes white space and control characters that hide a scheme.
    const { protocol } = address ? new URL(value, page) : new URL(value);
    if (/^https?:$/.test(protocol)) return false;
    return address || !/\s/.test(value.trim()) || /^(javascript|vbscript|data|blob|file):$/.test(protocol);
  } catch {
    return false; // Not a URL.
  }
};

/**
 * Copies native assets, at any depth, without URLs that are neither http(s) nor relative, and with
 * the quotes of the others encoded, so that a template can use an asset as `href` or `src`. Texts
 * still need escaping.
 */
export const sanitizeAssets = (assets: unknown, page: string = document.baseURI, key = ''): unknown => {
  if (typeof assets === 'string') return isUnsafe(key, assets, page) ? undefined : WORDS.test(key) ? assets : quoteFree(assets, key);
  if (Array.isArray(assets)) return assets.map((item) => sanitizeAssets(item, page, key)).filter((item) => item !== undefined);
  if (typeof assets !== 'object' || assets === null) return assets;
  return Object.fromEntries(
    Object.entries(assets)
      .map(([name, value]) => [name, sanitizeAssets(value, page, name)] as const)
      .filter(([, value]) => value !== undefined),
  );
};
