import { urlPrefix } from '../../targeting/url-prefixes.ts';
import { CONTINENTS } from './continents.ts';
import type { RuleRow } from './revive-rows.ts';
import { all, always, joined, negated, type Atom, type Expressed, type Terms, type Value } from './rule-terms.ts';
import { expressTime } from './express-time.ts';

export interface ExpressOptions {
  /** The rules of a channel, by its id. */
  readonly rulesOfChannel: (id: number) => readonly RuleRow[];
  /** Says what is different from Revive in how a rule is met. */
  readonly differs: (text: string) => void;
}

/** Channels within channels do not exist in Revive; what names itself has no end. */
const MAX_DEPTH = 2;

/** The rules of a banner or a channel. Without rules, it always serves. */
export const expressRules = (rules: readonly RuleRow[], options: ExpressOptions, depth = 0): Expressed => {
  const parts: { isOr: boolean; terms: Terms }[] = [];
  for (const rule of rules) {
    const expressed = expressRule(rule, options, depth);
    if ('cannot' in expressed) return expressed;
    parts.push({ isOr: rule.logical === 'or', terms: expressed.terms });
  }
  return { terms: joined(parts) };
};

const expressRule = (rule: RuleRow, options: ExpressOptions, depth: number): Expressed => {
  const name = nameOf(rule.type);
  if (name === 'Site:Channel') return expressChannel(rule, options, depth);
  const express = RULES[name];
  if (!express) return { cannot: `has a rule ${name} (${rule.comparison} ${shortened(rule.data)}), which has no equal here` };
  return (
    express(rule.data, rule.comparison, options) ?? {
      cannot: `has a rule ${name} ${rule.comparison} ${shortened(rule.data)}, which has no equal here`,
    }
  );
};

/** `deliveryLimitations:Geo:Country`, or as early releases wrote it. */
const nameOf = (type: string): string => type.replace(/^deliveryLimitations:/, '');
const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

const expressChannel = ({ data, comparison }: RuleRow, options: ExpressOptions, depth: number): Expressed => {
  if (depth >= MAX_DEPTH) return { cannot: 'has channels within channels' };
  const channels: Terms[] = [];
  for (const id of listOf(data)) {
    const rules = options.rulesOfChannel(Number(id));
    const expressed = expressRules(rules, options, depth + 1);
    if ('cannot' in expressed) return { cannot: `${expressed.cannot}, in channel ${id}` };
    channels.push(expressed.terms);
  }
  if (channels.length === 0) return { terms: always };
  if (comparison === '==') return { terms: channels.reduce(all) };
  return comparison === '=~' ? { terms: channels.flat() } : negated(channels.flat());
};

type Express = (data: string, comparison: string, options: ExpressOptions) => Expressed | undefined;

const one = (...atoms: readonly Atom[]): Expressed => ({ terms: [atoms] });
const listOf = (data: string): readonly string[] =>
  data
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Revive's comparisons of lists: `=~` is any of them, `==` the only one, the others exclude. */
const isListed = (comparison: string): boolean => comparison === '=~' || comparison === '==';

/** A rule without values is always met in Revive. */
const listed =
  (field: string, valueOf: (item: string) => readonly Value[]): Express =>
  (data, comparison) => {
    const values = listOf(data).flatMap(valueOf);
    if (data.trim() === '') return { terms: always };
    return values.length === 0 ? undefined : one({ field, excludes: !isListed(comparison), values });
  };

/** `US|CA,NY`: of one country. */
const inCountry =
  (field: 'regions' | 'cities', valueOf: (country: string, item: string) => string, differs: string): Express =>
  (data, comparison, options) => {
    const [country = '', items = ''] = data.includes('|')
      ? [data.slice(0, data.indexOf('|')), data.slice(data.indexOf('|') + 1)]
      : ['', data];
    const values = listOf(items).map((item) => valueOf(country.toUpperCase(), item));
    if (values.length === 0 || (country === '' && field === 'regions')) return undefined;
    options.differs(differs);
    const place: Atom = { field, excludes: !isListed(comparison), values };
    return country === '' ? one(place) : one({ field: 'countries', excludes: false, values: [country.toUpperCase()] }, place);
  };

/** `Chrome|120`: of any version, which is what can be said here. */
const program =
  (field: 'browsers' | 'os', names: Readonly<Record<string, string>>): Express =>
  (data, comparison) => {
    const name = names[data.split('|', 1)[0] ?? ''];
    return name === undefined || comparison !== 'nn' ? undefined : one({ field, excludes: false, values: [name] });
  };

const BROWSERS = { Chrome: 'Chrome', Firefox: 'Firefox', Safari: 'Safari', Edge: 'Microsoft Edge', Opera: 'Opera' };
const SYSTEMS = { Windows: 'Windows', 'OS X': 'macOS', Linux: 'Linux', 'Chrome OS': 'Chrome OS', Android: 'Android', iOS: 'iOS' };

/** A text of an address that must be contained: a host with the beginning of a path, when it is written as an address. */
const address =
  (field: 'urls' | 'referrers'): Express =>
  (data, comparison, { differs }) => {
    if (data.trim() === '') return { terms: always };
    const prefix = /^https?:\/\//i.test(data) ? urlPrefix(data.split(/[?#]/, 1)[0] ?? '') : undefined;
    if (prefix === undefined || !['=~', '!~'].includes(comparison)) return undefined;
    differs(`an address that contains "${shortened(data)}" is one of ${prefix} and its subdomains now, in whole segments of the path`);
    return one({ field, excludes: comparison === '!~', values: [prefix] });
  };

const hosts =
  (differs?: string): Express =>
  (data, comparison, options) => {
    const values = data.split('\n').flatMap((line) => urlPrefix(line.trim()) ?? []);
    if (values.length === 0) return data.trim() === '' ? { terms: always } : undefined;
    if (differs !== undefined) options.differs(differs);
    return one({ field: 'urls', excludes: !isListed(comparison), values });
  };

const NUMERIC: Readonly<Record<string, (limit: number) => readonly { readonly excludes: boolean; readonly value: Value }[]>> = {
  le: (max) => [{ excludes: false, value: { max } }],
  ge: (min) => [{ excludes: false, value: { min } }],
  lt: (max) => [
    { excludes: false, value: { max } },
    { excludes: true, value: max },
  ],
  gt: (min) => [
    { excludes: false, value: { min } },
    { excludes: true, value: min },
  ],
};

/** A parameter of the tag: a key-value of the request. */
const variable = (name: string, text: string, comparison: string, { differs }: ExpressOptions): Expressed | undefined => {
  const field = `key_values.${name}`;
  const numeric = NUMERIC[comparison];
  if (numeric) {
    const limit = Number(text);
    if (text.trim() === '' || !Number.isFinite(limit)) return undefined;
    return one(...numeric(limit).map(({ excludes, value }) => ({ field, excludes, values: [value] })));
  }
  if (comparison !== '==' && comparison !== '!=') return undefined;
  if (/\p{L}/u.test(text)) differs(`the value "${shortened(text)}" of ${name} is compared in this letter case alone`);
  return one({ field, excludes: comparison === '!=', values: [text] });
};

const LANGUAGE = 'the language is the first one that the browser accepts, and not any of them';
const NO_PLACE = 'visitors whose city is not known are not excluded; regions and cities need a GEO_DATABASE of cities';

/** What each type of rule is here. A type that is not among them has no equal. */
const RULES: Readonly<Record<string, Express>> = {
  'Geo:Country': listed('countries', (item) => [item.toUpperCase()]),
  'Geo:Continent': listed('countries', (item) => CONTINENTS[item.toUpperCase()] ?? []),
  'Geo:Subdivision1': inCountry('regions', (country, item) => `${country}-${item.toUpperCase()}`, NO_PLACE),
  'Geo:City': inCountry('cities', (_, item) => item, `${NO_PLACE}; the name of a city is compared in this letter case alone`),
  'Client:Language': (data, comparison, options) => {
    options.differs(LANGUAGE);
    return listed('languages', (item) => [item.replaceAll('_', '-')])(data, comparison, options);
  },
  'Client:BrowserVersion': program('browsers', BROWSERS),
  'Client:OsVersion': program('os', SYSTEMS),
  'Site:Pageurl': address('urls'),
  'Site:Referingpage': address('referrers'),
  'Site:Hostnamelist': hosts('a host also matches its subdomains'),
  'Site:Registerabledomainlist': hosts(),
  'Site:Source': (data, comparison, options) => (data === '' ? { terms: always } : variable('source', data, comparison, options)),
  'Site:Variable': (data, comparison, options) => {
    const at = data.indexOf('|');
    return at < 1 ? undefined : variable(data.slice(0, at), data.slice(at + 1), comparison, options);
  },
  'Time:Date': expressTime.date,
  'Time:Day': expressTime.day,
  'Time:Hour': expressTime.hour,
};
