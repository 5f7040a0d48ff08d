import Bowser from 'bowser';

const UNKNOWN = 'Unknown browser';

/** `Firefox on Linux`: a browser as its owner recognises it, by its User-Agent header. */
export const deviceWords = (userAgent: string): string => {
  // Bowser throws on an empty text.
  if (userAgent.trim() === '') return UNKNOWN;
  const parser = Bowser.getParser(userAgent);
  const [browser, system] = [parser.getBrowserName(), parser.getOSName()];
  if (browser === '') return UNKNOWN;
  return system === '' ? browser : `${browser} on ${system}`;
};
