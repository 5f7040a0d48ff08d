import { LANGUAGE_NAMES, NO_PREFERENCES, type Language, type Preferences } from '../../src/people/preferences/preferences.ts';

/** In the browser, so that they apply before the page is drawn, and for those who have no account. */
const KEY = 'preferences';

export const keptPreferences = (): Preferences => {
  try {
    const { language, time_zone, density, scheme } = {
      ...NO_PREFERENCES,
      ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>),
    };
    return { language, time_zone, density, scheme };
  } catch {
    return NO_PREFERENCES;
  }
};

export const keepPreferences = (preferences: Preferences): void => localStorage.setItem(KEY, JSON.stringify(preferences));

/** The chosen language, else the first one of the browser that there is. */
export const languageOf = ({ language }: Preferences): Language =>
  language ?? navigator.languages.map((tag) => LANGUAGE_NAMES.find((one) => one === tag.split('-')[0])).find(Boolean) ?? 'en';

/** The person's zone, else that of the browser. */
export const timeZoneOf = ({ time_zone: zone }: Preferences): string => zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Whether texts and times that are on the page already have to be made again. */
export const needsReload = (before: Preferences, after: Preferences): boolean =>
  languageOf(before) !== languageOf(after) || timeZoneOf(before) !== timeZoneOf(after);

/** Applies what the styles read. */
export const applyLooks = ({ scheme, density }: Preferences): void => {
  const { dataset } = document.documentElement;
  dataset['density'] = density;
  if (scheme === 'system') delete dataset['theme'];
  else dataset['theme'] = scheme;
};
