import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Reader, type Response } from 'maxmind';
import { isObject } from '../base/narrow.ts';
import { cachedByAddress, COUNTRY, NOWHERE, type Locate, type Location } from './country-lookup.ts';

/**
 * Reads an operator's own database (blocks; throws when the file is missing or is none) and answers
 * from memory. A lookup takes 1 µs for a country and 3 µs for a city, 0.02 µs from the cache.
 *
 * @param file a MaxMind database: GeoLite2, GeoIP2, DB-IP, or one of ip-location-db
 * @param cacheSize number of addresses in the cache
 */
export const createGeoDatabase = ({ file, cacheSize }: { readonly file: string; readonly cacheSize: number }): Locate => {
  const reader = new Reader<Response>(readFileSync(file));
  return cachedByAddress(cacheSize, (ip) => (isIP(ip) === 0 ? NOWHERE : toLocation(reader.get(ip))));
};

/** Records nest their names (MaxMind, DB-IP) or are flat (ip-location-db). */
const toLocation = (record: unknown): Location => {
  const country = textAt(record, 'country', 'iso_code') ?? textAt(record, 'country_code');
  if (country === null || !COUNTRY.test(country)) return NOWHERE;
  const code = textAt(record, 'subdivisions', '0', 'iso_code');
  return {
    country,
    region: code === null ? (textAt(record, 'subdivisions', '0', 'names', 'en') ?? textAt(record, 'state1')) : `${country}-${code}`,
    city: textAt(record, 'city', 'names', 'en') ?? textAt(record, 'city'),
  };
};

const textAt = (value: unknown, ...path: readonly string[]): string | null => {
  const found = path.reduce(
    (part, name) => (isObject(part) || Array.isArray(part) ? (part as Record<string, unknown>)[name] : undefined),
    value,
  );
  return typeof found === 'string' && found !== '' ? found : null;
};
