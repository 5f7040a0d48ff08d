/**
 * A URL whose quotes, backticks, angle brackets, backslashes, spaces and control characters are
 * percent-encoded (RFC 3986, section 2.1: of these only the apostrophe may occur in a URL), so that
 * a template that puts it between quotes puts nothing else there.
 */
export const quoteFree = (url: string): string =>
  url.replace(/["'`<>\\\s\0-\x1f\x7f]/g, (sign) => ESCAPES[sign] ?? encodeURIComponent(sign));

/** encodeURIComponent leaves the apostrophe as it is. */
const ESCAPES: Readonly<Record<string, string>> = { "'": '%27' };
