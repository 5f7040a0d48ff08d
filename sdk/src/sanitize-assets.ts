/** Assets that are words to read: "JavaScript: the course" is a title, not a URL. */
const WORDS = /(title|description|brand|sponsored|offer|text|name|label|headline|body|alt|caption|cta|price)$/i;
/** Assets that are URLs: whatever stands there must resolve to http(s). */
const ADDRESSES = /ur[il]|href|link|click|src|image|img|icon|logo|background|video|landing/i;

const isUnsafe = (key: string, value: string, page: string): boolean => {
  try {
    if (WORDS.test(key)) return false;
    const address = ADDRESSES.test(key);
    // The parser drops the white space and control characters that hide a scheme, as a browser following the link would.
    const { protocol } = address ? new URL(value, page) : new URL(value);
    if (/^https?:$/.test(protocol)) return false;
    return address || !/\s/.test(value.trim()) || /^(javascript|vbscript|data|blob|file):$/.test(protocol);
  } catch {
    return false; // Not a URL at all.
  }
};

/**
 * A copy of native assets, at any depth, without the URLs that are neither http(s) nor relative to the page: what a template puts into
 * `href` or `src` cannot be a script. Texts still need escaping.
 */
export const sanitizeAssets = (assets: unknown, page: string = document.baseURI, key = ''): unknown => {
  if (typeof assets === 'string') return isUnsafe(key, assets, page) ? undefined : assets;
  if (Array.isArray(assets)) return assets.map((item) => sanitizeAssets(item, page, key)).filter((item) => item !== undefined);
  if (typeof assets !== 'object' || assets === null) return assets;
  return Object.fromEntries(
    Object.entries(assets)
      .map(([name, value]) => [name, sanitizeAssets(value, page, name)] as const)
      .filter(([, value]) => value !== undefined),
  );
};
