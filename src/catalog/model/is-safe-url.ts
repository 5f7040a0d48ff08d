import { parseUrl } from '../../base/parse-url.ts';

/** Browsers and proxies carry about 2,000 characters; RFC 3986 sets no limit. */
const MAX_URL_LENGTH = 2_048;
/**
 * C0 controls, space, DEL: URL parsers strip or fold some of them, so the URL that is fetched would
 * differ from the URL that was checked.
 */
const UNPRINTABLE = /[\u0000-\u0020\u007f-\u009f\u2028\u2029]/;
/**
 * A scheme and a host, or a path from the root of the page's own host. `//host` and `/\host` would
 * name another host.
 */
const ABSOLUTE = /^https?:\/\/[^/\\?#]/i;
const FROM_ROOT = /^\/(?![/\\])/;

/**
 * Whether markup may use a URL for an image or a link: http, https or root-relative, and nothing
 * that runs or embeds (javascript:, data:).
 */
export const isSafeUrl = (url: string): boolean =>
  url.length <= MAX_URL_LENGTH && !UNPRINTABLE.test(url) && (ABSOLUTE.test(url) ? parseUrl(url) !== undefined : FROM_ROOT.test(url));
