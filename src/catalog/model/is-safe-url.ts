/** RFC 3986 leaves about 2,000 characters as what every browser and proxy carries. */
const LONGEST = 2_048;
/** C0 controls, space, DEL: URL parsers strip or fold some of them, so that what was checked is not what is fetched. */
const UNPRINTABLE = /[\u0000-\u0020\u007f-\u009f\u2028\u2029]/;
/** A scheme and a host, or a path from the root of the page's own host; `//host` and `/\host` would be another host's. */
const ABSOLUTE = /^https?:\/\/[^/\\?#]/i;
const FROM_ROOT = /^\/(?![/\\])/;

/** Whether a URL may stand in markup as an image or a link: http, https or root-relative, and nothing that runs or embeds (javascript:, data:). */
export const isSafeUrl = (url: string): boolean =>
  url.length <= LONGEST && !UNPRINTABLE.test(url) && (ABSOLUTE.test(url) ? isHostful(url) : FROM_ROOT.test(url));

const isHostful = (url: string): boolean => URL.canParse(url);
