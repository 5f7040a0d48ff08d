/** The languages of the page, by the names that their speakers use. Each but English has its texts in languages/. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as readonly Language[];

export const SCHEMES = ['system', 'light', 'dark'] as const;
export const DENSITIES = ['comfortable', 'compact'] as const;

/** How a person wants the page; null: as their browser has it. */
export interface Preferences {
  readonly language: Language | null;
  /** IANA name. */
  readonly time_zone: string | null;
  readonly density: (typeof DENSITIES)[number];
  readonly scheme: (typeof SCHEMES)[number];
}

export const NO_PREFERENCES: Preferences = { language: null, time_zone: null, density: 'comfortable', scheme: 'system' };
