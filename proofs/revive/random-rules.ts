import { CONTINENTS } from '../../src/imports/revive/continents.ts';
import type { Chance } from '../../testkit/chance.ts';

export interface Rule {
  readonly type: string;
  readonly comparison: string;
  readonly data: string;
  readonly logical: 'and' | 'or';
}

/** A request, as both systems know it. '': unknown. */
export interface Visit {
  readonly country: string;
  readonly continent: string;
  readonly region: string;
  readonly city: string;
  readonly language: string;
  readonly browser: string;
  readonly os: string;
  readonly page: string;
  readonly referrer: string;
  readonly keyValues: Readonly<Record<string, string>>;
  /** Epoch seconds. */
  readonly at: number;
}

const COUNTRIES = ['DE', 'AT', 'CH', 'US', 'FR', 'BR'];
const REGIONS: Readonly<Record<string, readonly string[]>> = { US: ['CA', 'NY', 'TX'], DE: ['BY', 'BE'] };
const CITIES = ['Berlin', 'Munich', 'Austin'];
const BROWSERS = ['Chrome', 'Firefox', 'Safari'];
const SYSTEMS = ['Windows', 'iOS', 'Android'];
const HOSTS = ['news.example', 'www.news.example', 'shop.example'];
const PATHS = ['/', '/sport', '/sport/tennis', '/money'];
const SECTIONS = ['sport', 'money', '7'];
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'];
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour));
const DAYS = ['0', '1', '2', '3', '4', '5', '6'];
/** Around the days on which clocks change in Europe. */
const DATES = ['20260328', '20260329', '20260330', '20261024', '20261025', '20261026'];
const MAX_RULES = 3;

const pick = <T>(chance: Chance, of: readonly T[]): T => of[Math.floor(chance() * of.length)]!;
const some = (chance: Chance, of: readonly string[]): string =>
  [...new Set(Array.from({ length: 1 + Math.floor(chance() * 3) }, () => pick(chance, of)))].join(',');
const address = (chance: Chance): string => `https://${pick(chance, HOSTS)}${pick(chance, PATHS)}`;
const age = (chance: Chance): string => String(10 + Math.floor(chance() * 60));

const LISTED = ['=~', '!~'] as const;
type Kind = readonly [type: string, comparisons: readonly string[], data: (chance: Chance) => string];

const KINDS: readonly Kind[] = [
  ['Geo:Country', LISTED, (chance) => some(chance, COUNTRIES)],
  ['Geo:Continent', LISTED, (chance) => some(chance, ['EU', 'NA', 'SA'])],
  ['Geo:Subdivision1', LISTED, (chance) => (chance() < 0.5 ? `US|${some(chance, REGIONS['US']!)}` : `DE|${some(chance, REGIONS['DE']!)}`)],
  ['Geo:City', LISTED, (chance) => `${pick(chance, ['', 'DE', 'US'])}|${some(chance, CITIES)}`],
  ['Client:Language', LISTED, (chance) => some(chance, ['de', 'en', 'fr'])],
  ['Client:BrowserVersion', ['nn'], (chance) => `${pick(chance, BROWSERS)}|`],
  ['Client:OsVersion', ['nn'], (chance) => `${pick(chance, SYSTEMS)}|`],
  ['Site:Pageurl', LISTED, address],
  ['Site:Referingpage', LISTED, address],
  ['Site:Hostnamelist', LISTED, (chance) => [...new Set([pick(chance, HOSTS), pick(chance, HOSTS)])].join('\n')],
  ['Site:Variable', ['==', '!='], (chance) => `section|${pick(chance, SECTIONS)}`],
  ['Site:Variable', ['lt', 'gt', 'le', 'ge'], (chance) => `age|${age(chance)}`],
  ['Time:Hour', LISTED, (chance) => `${some(chance, HOURS)}@${pick(chance, ZONES)}`],
  ['Time:Day', LISTED, (chance) => `${some(chance, DAYS)}@${pick(chance, ZONES)}`],
  ['Time:Date', ['==', '<=', '>=', '<', '>'], (chance) => `${pick(chance, DATES)}@${pick(chance, ZONES)}`],
];

/** The types of rules that are compared. */
export const RULE_TYPES: readonly string[] = [...new Set(KINDS.map(([type]) => type))];

/** The rules of a banner: one to three, a quarter of them joined by `or`. */
export const randomRules = (chance: Chance): readonly Rule[] =>
  Array.from({ length: 1 + Math.floor(chance() * MAX_RULES) }, (_, i) => {
    const [type, comparisons, data] = pick(chance, KINDS);
    return { type, comparison: pick(chance, comparisons), data: data(chance), logical: i > 0 && chance() < 0.25 ? 'or' : 'and' };
  });

/** A request in the days around a change of clocks. */
export const randomVisit = (chance: Chance): Visit => {
  const country = pick(chance, [...COUNTRIES, '']);
  const atMs = Date.UTC(2026, pick(chance, [2, 9]), 22 + Math.floor(chance() * 9), Math.floor(chance() * 24), Math.floor(chance() * 60));
  return {
    country,
    continent: Object.entries(CONTINENTS).find(([, countries]) => countries.includes(country))?.[0] ?? '',
    region: pick(chance, [...(REGIONS[country] ?? []), '']),
    city: pick(chance, [...CITIES, '']),
    ...{ language: pick(chance, ['de', 'de-AT', 'en-US', 'fr']), browser: pick(chance, BROWSERS), os: pick(chance, SYSTEMS) },
    ...{ page: address(chance), referrer: chance() < 0.3 ? '' : address(chance), at: atMs / 1000 },
    keyValues: { ...(chance() < 0.7 && { section: pick(chance, SECTIONS) }), ...(chance() < 0.7 && { age: age(chance) }) },
  };
};
