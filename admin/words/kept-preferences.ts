import { LANGUAGE_NAMES, NO_PREFERENCES, type Language, type Preferences } from '../../src/people/accounts/preferences.ts';

/** In the browser, so that they apply before the page is drawn, and for those who have no account. */
const KEY = 'preferences';

export const keptPreferences = (): Preferences => {
  try {
    return { ...NO_PREFERENCES, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) };
  } catch {
    return NO_PREFERENCES;
  }
};

export const keepPreferences = (preferences: Preferences): void => localStorage.setItem(KEY, JSON.stringify(preferences));

/** The chosen language, else the first one of the browser that there is. */
export const languageOf = ({ language }: Preferences): Language =>
  language ?? navigator.languages.map((tag) => LANGUAGE_NAMES.find((one) => one === tag.split('-')[0])).find(Boolean) ?? 'en';

/** Applies what the styles read. */
export const applyLooks = ({ scheme, density }: Preferences): void => {
  Object.assign(document.documentElement.dataset, { scheme, density });
};
