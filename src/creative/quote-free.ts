/**
 * A URL whose quotes, backticks, angle brackets and spaces are percent-encoded (RFC 3986, section
 * 2.1: none of them may stand in a URL as it is, except the apostrophe), so that a template that
 * puts it between quotes puts nothing else there.
 */
export const quoteFree = (url: string): string => url.replace(/["'`<>\\\s]/g, (sign) => (sign === "'" ? '%27' : encodeURIComponent(sign)));
