import { expressRules } from '../../src/imports/revive/express-rules.ts';
import type { RuleRow } from '../../src/imports/revive/revive-rows.ts';
import { onlyConditions } from '../../src/imports/revive/rule-terms.ts';
import { dayPartsOf } from '../../src/imports/revive/week-of-hours.ts';

type Rule = readonly [type: string, comparison: string, data: string, logical?: string];

const rowsOf = (rules: readonly Rule[]): readonly RuleRow[] =>
  rules.map(([type, comparison, data, logical = 'and']) => ({ owner: 1, type: `deliveryLimitations:${type}`, comparison, data, logical }));

/** What the rules of a banner come to, and the differences that are said. */
const expressed = (rules: readonly Rule[], channels: Readonly<Record<number, readonly Rule[]>> = {}) => {
  const said: string[] = [];
  const found = expressRules(rowsOf(rules), { rulesOfChannel: (id) => rowsOf(channels[id] ?? []), differs: (text) => said.push(text) });
  if ('cannot' in found) return found;
  const only = onlyConditions(found.terms);
  return 'cannot' in only
    ? only
    : { include: only.include, exclude: only.exclude, schedule: only.hours && dayPartsOf(only.hours.halves), said };
};
const NONE = { include: {}, exclude: {}, schedule: undefined, said: [] };

test.each<readonly [string, readonly Rule[], object]>([
  ['no rule', [], NONE],
  ['countries', [['Geo:Country', '=~', 'de,AT']], { ...NONE, include: { countries: ['DE', 'AT'] } }],
  ['countries that are excluded', [['Geo:Country', '!~', 'DE']], { ...NONE, exclude: { countries: ['DE'] } }],
  [
    'two lists of countries',
    [
      ['Geo:Country', '=~', 'DE,AT'],
      ['Geo:Country', '=~', 'AT,CH'],
    ],
    { ...NONE, include: { countries: ['AT'] } },
  ],
  [
    'countries by "or"',
    [
      ['Geo:Country', '=~', 'DE'],
      ['Geo:Country', '=~', 'AT', 'or'],
    ],
    { ...NONE, include: { countries: ['DE', 'AT'] } },
  ],
  [
    'browsers by "or" with a country each: "and" binds closer',
    [
      ['Client:BrowserVersion', 'nn', 'Chrome|'],
      ['Geo:Country', '=~', 'DE'],
      ['Client:BrowserVersion', 'nn', 'Firefox|', 'or'],
      ['Geo:Country', '=~', 'DE'],
    ],
    { ...NONE, include: { browsers: ['Chrome', 'Firefox'], countries: ['DE'] } },
  ],
  [
    'a number below',
    [['Site:Variable', 'lt', 'age|30']],
    { ...NONE, include: { 'key_values.age': [{ max: 30 }] }, exclude: { 'key_values.age': [30] } },
  ],
  [
    'a range of numbers',
    [
      ['Site:Variable', 'ge', 'age|18'],
      ['Site:Variable', 'le', 'age|34'],
    ],
    { ...NONE, include: { 'key_values.age': [{ min: 18, max: 34 }] } },
  ],
  [
    'registered domains',
    [['Site:Registerabledomainlist', '=~', 'news.example\nsport.example']],
    { ...NONE, include: { urls: ['news.example', 'sport.example'] } },
  ],
  [
    'mornings of working days',
    [
      ['Time:Day', '=~', '1,2,3,4,5@UTC'],
      ['Time:Hour', '=~', '6,7@UTC'],
    ],
    { ...NONE, schedule: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '06:00', to: '08:00' }] },
  ],
  [
    'another kind by "or"',
    [
      ['Geo:Country', '=~', 'DE'],
      ['Client:OsVersion', 'nn', 'iOS|', 'or'],
    ],
    { cannot: 'has rules of different kinds that are joined by "or"' },
  ],
  [
    'no country left',
    [
      ['Geo:Country', '=~', 'DE'],
      ['Geo:Country', '=~', 'AT'],
    ],
    { cannot: 'never serves: no countries meets its rules' },
  ],
  [
    'a version',
    [['Client:BrowserVersion', 'ge', 'Chrome|100']],
    { cannot: 'has a rule Client:BrowserVersion ge Chrome|100, which has no equal here' },
  ],
  ['an address', [['Client:Ip', '==', '10.0.0.*']], { cannot: 'has a rule Client:Ip (== 10.0.0.*), which has no equal here' }],
  ['a part of an address', [['Site:Pageurl', '=~', 'sport']], { cannot: 'has a rule Site:Pageurl =~ sport, which has no equal here' }],
])('%s', (_, rules, expected) => expect(expressed(rules)).toEqual(expected));

test('a page and a region say what is different', () => {
  expect(expressed([['Site:Pageurl', '=~', 'https://news.example/Sport']])).toMatchObject({
    include: { urls: ['news.example/sport'] },
    said: [expect.stringContaining('news.example/sport and its subdomains')],
  });
  expect(expressed([['Geo:Subdivision1', '!~', 'US|CA,NY']])).toMatchObject({
    ...{ include: { countries: ['US'] }, exclude: { regions: ['US-CA', 'US-NY'] } },
    said: [expect.stringContaining('GEO_DATABASE')],
  });
});

test('channels are read as their rules, and the contrary of them where each is one', () => {
  const channels = {
    1: [['Geo:Country', '=~', 'DE']],
    2: [
      ['Geo:Country', '=~', 'AT'],
      ['Client:OsVersion', 'nn', 'iOS|'],
    ],
  } as const;
  expect(expressed([['Site:Channel', '=~', '1']], channels)).toMatchObject({ include: { countries: ['DE'] } });
  expect(expressed([['Site:Channel', '!~', '1']], channels)).toMatchObject({ exclude: { countries: ['DE'] } });
  expect(expressed([['Site:Channel', '!~', '2']], channels)).toEqual({ cannot: 'excludes a set of several rules' });
  expect(expressed([['Site:Channel', '==', '1,2']], channels)).toMatchObject({ cannot: expect.stringContaining('never serves') });
});
