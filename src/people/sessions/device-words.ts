import Bowser from 'bowser';

const UNKNOWN = 'Unknown browser';

/** The same of anything that calls the API: a program by its first product, such as `curl/8.5.0`. */
export const clientWords = (userAgent: string): string => {
  const words = deviceWords(userAgent);
  return words === UNKNOWN ? (/^[\w.-]{1,40}(\/[\w.-]{1,20})?/.exec(userAgent)?.[0] ?? UNKNOWN) : words;
};

/** `Firefox on Linux`: a browser as its owner recognises it, by its User-Agent header. */
export const deviceWords = (userAgent: string): string => {
  // Bowser throws on an empty text.
  if (userAgent.trim() === '') return UNKNOWN;
  const parser = Bowser.getParser(userAgent);
  const [browser, system] = [parser.getBrowserName(), parser.getOSName()];
  if (browser === '') return UNKNOWN;
  return system === '' ? browser : `${browser} on ${system}`;
};
