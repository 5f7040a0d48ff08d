import { LANGUAGE_NAMES, type Language } from '../../src/people/preferences/preferences.ts';

/** Of the page: before-paint.ts has chosen it. English outside a page. */
export const language: Language =
  (typeof document !== 'undefined' && LANGUAGE_NAMES.find((one) => one === document.documentElement.lang)) || 'en';

/** Of numbers and dates: that of the browser where it is one of the language, such as British English. */
export const locale: string =
  (typeof navigator !== 'undefined' && navigator.languages.find((tag) => tag === language || tag.startsWith(`${language}-`))) || language;
