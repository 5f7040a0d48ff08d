import countries from 'i18n-iso-countries/index.js';
import { isCountryCode } from '../../src/catalog/checks/country-codes.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

test('country codes are those of ISO 3166-1 and XK', () => {
  const accepted = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(isCountryCode);
  expect(accepted).toEqual(Object.keys(countries.getAlpha2Codes()).sort());
});

test.each(['de', 'UK', 'SU', 'EU', 'ZZ', 'D', 'DEU', ''])('%p is not a country code', (code) => {
  expect(isCountryCode(code)).toBe(false);
});
