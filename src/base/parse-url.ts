/** Longer than any field that holds a URL: reading one of 2 MB took 96 ms. */
const MAX_URL_LENGTH = 8_192;

/**
 * An absolute URL; undefined when the text is none, or too long. `URL.canParse` is not used: once V8 has optimized
 * its caller, that of Node 20 refuses every text with a character of Latin-1 above ASCII.
 */
export const parseUrl = (text: string): URL | undefined => {
  if (text.length > MAX_URL_LENGTH) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

/** A percent-encoded text; undefined when it cannot be decoded. */
export const decodedUri = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};
