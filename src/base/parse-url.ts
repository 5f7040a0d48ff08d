/**
 * An absolute URL; undefined when the text is none. `URL.canParse` is not used: once V8 has optimized
 * its caller, that of Node 20 refuses every text with a character of Latin-1 above ASCII.
 */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
