/**
 * Names every region that the ICU of this Node or browser knows; undefined for a code that it does
 * not know.
 */
const REGION_NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
/**
 * Known to ICU, but not the country of a visitor: groupings, private use, and codes reserved for
 * islands of a country. XK (Kosovo) is a country here because address databases give it.
 */
const NOT_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ', 'AC', 'CP', 'CQ', 'DG', 'EA', 'IC', 'TA']);
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** A withdrawn code or an alias (UK, SU) is the region of another code. */
const isCountry = (code: string): boolean =>
  !NOT_COUNTRIES.has(code) && new Intl.Locale(`und-${code}`).region === code && REGION_NAMES.of(code) !== undefined;

/**
 * ISO 3166-1 alpha-2 codes in use, and XK. From Intl, because the trafficking page's bundle shares
 * this list; a test compares it with i18n-iso-countries, which the bundle cannot include.
 */
const COUNTRY_CODES: ReadonlySet<string> = new Set(LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(isCountry));

/** Whether `code` is an ISO 3166-1 alpha-2 code in use, in upper case. */
export const isCountryCode = (code: string): boolean => COUNTRY_CODES.has(code);
