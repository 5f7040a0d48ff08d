import { component } from '../../api/component.ts';
import * as s from '../../base/schema.ts';
import { DENSITIES, LANGUAGE_NAMES, NO_PREFERENCES, SCHEMES, type Preferences } from '../preferences/preferences.ts';

const OF_BROWSER = 'null: that of the browser';

export const PREFERENCES = component(
  'Preferences',
  s.closedRecord({
    language: s.orNull(s.oneOf(LANGUAGE_NAMES), { enum: [...LANGUAGE_NAMES, null], description: `Of the page; ${OF_BROWSER}` }),
    time_zone: s.orNull(s.textOf({ format: 'time-zone', maxLength: 64 }), { description: `IANA name; ${OF_BROWSER}` }),
    density: s.oneOf(DENSITIES),
    scheme: s.described(s.oneOf(SCHEMES), 'Colours; `system`: as the browser has them'),
  }),
  { language: 'de', time_zone: 'Europe/Berlin', density: 'compact', scheme: 'dark' },
);

/** As stored, which may be of an earlier version of this service. */
export const preferencesOf = (stored: Partial<Preferences>): Preferences => {
  const { language, time_zone, density, scheme } = { ...NO_PREFERENCES, ...stored };
  return { language, time_zone, density, scheme };
};
