/** Names every region that ICU knows, in the Node that runs this; codes it does not know come back as undefined. */
const REGION_NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
/** Known to ICU, but no visitor's country: groupings, private use, codes reserved for islands of a country. XK (Kosovo) does occur in geo data. */
const NOT_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ', 'AC', 'CP', 'CQ', 'DG', 'EA', 'IC', 'TA']);
const known = new Map<string, boolean>();

/** Whether `code` is an ISO 3166-1 alpha-2 code in use, in upper case. Withdrawn codes and aliases (UK, SU) are none: no visitor has them. */
export const isCountryCode = (code: string): boolean => {
  if (!/^[A-Z]{2}$/.test(code)) return false;
  let answer = known.get(code);
  if (answer === undefined) {
    answer = !NOT_COUNTRIES.has(code) && new Intl.Locale(`und-${code}`).region === code && REGION_NAMES.of(code) !== undefined;
    known.set(code, answer);
  }
  return answer;
};
