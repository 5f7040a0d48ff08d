import { createCountryLookup } from '../../src/context/country-lookup.ts';

describe('country lookup', () => {
  const country = createCountryLookup({ cacheSize: 2 });

  test('public addresses of both families have a country, cached or not', () => {
    for (let round = 0; round < 2; round++) {
      expect(country('8.8.8.8')).toBe('US');
      expect(country('2a00:1450::1')).toBe('IE');
      expect(country('193.99.144.80')).toBe('DE');
    }
  });

  test.each([[null], [''], ['127.0.0.1'], ['10.0.0.1'], ['::1'], ['not an address']])('%j has no country', (ip) => {
    expect(country(ip)).toBeNull();
    expect(country(ip)).toBeNull();
  });

  test('the environment is unchanged', () => {
    expect(process.env.GEODATADIR).toBeUndefined();
  });
});
