/**
 * The European Union with its regions that have country codes (Åland, Réunion, …), the rest of the
 * EEA, the United Kingdom with Gibraltar, and Switzerland.
 */
const GDPR_COUNTRIES: ReadonlySet<string> = new Set(
  ('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK ' + 'AX GF GP MF MQ RE YT IS LI NO GB GI CH').split(
    ' ',
  ),
);

/** Whether a country (ISO 3166-1 alpha-2) has the GDPR or a law like it; null, unknown: no. */
export const isGdprCountry = (country: string | null): boolean => country !== null && GDPR_COUNTRIES.has(country);
