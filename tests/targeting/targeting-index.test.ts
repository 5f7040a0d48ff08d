import fc from 'fast-check';
import { buildTargetingTables } from '../../src/targeting/build-targeting-tables.ts';
import { compileTargeting, createPairNumbers } from '../../src/targeting/compile-targeting.ts';
import { matchTargeting } from '../../src/targeting/match-targeting.ts';
import type { DimensionSchema } from '../../src/targeting/dimension-schema.ts';
import { createTargetingIndex, type TargetingIndex } from '../../src/targeting/targeting-index.ts';
import { TargetingQuery, targetingQuery } from '../../src/targeting/targeting-query.ts';
import { pairOf, targetingRules } from '../../src/targeting/targeting-rules.ts';
import type { AskedKind, RuleFields, TargetedValue, TargetingRules } from '../../src/targeting/targeting-rules.ts';

/** As `map`, with one call for an entry that is there a thousand times. */
const mapDistinct = <T>(entries: readonly TargetingRules[], work: (entry: TargetingRules) => T): readonly T[] => {
  const done = new Map([...new Set(entries)].map((entry) => [entry, work(entry)]));
  return entries.map((entry) => done.get(entry)!);
};

const build = (entries: readonly TargetingRules[]): TargetingIndex => {
  const pairs = createPairNumbers();
  const compiled = mapDistinct(entries, (rules) => compileTargeting(rules, pairs));
  return createTargetingIndex(buildTargetingTables(entries.length, (position) => compiled[position]!, pairs));
};

/** Every name is registered, so each key-value of a request is offered as a dimension too. */
const SECTION = { name: 'section', label: 'Section', type: 'string', values: null, minimum: null, maximum: null, description: '' } as const;
const ALL_REGISTERED: DimensionSchema = new Map([['section', SECTION]]);
const NONE_REGISTERED: DimensionSchema = new Map();

interface Asked {
  readonly country?: string | null;
  readonly city?: string | null;
  readonly device?: string | null;
  readonly keyValues?: Readonly<Record<string, string>>;
}

const query = ({ country = null, city = null, device = null, keyValues = {} }: Asked = {}, schema = NONE_REGISTERED): TargetingQuery =>
  targetingQuery(schema, { country, city, device }, keyValues);

const scanned = (index: TargetingIndex, asked: TargetingQuery): number[] => {
  const scanner = index.eligible(asked);
  const found: number[] = [];
  for (let at = scanner.firstFrom(0); at !== -1; at = scanner.firstFrom(at + 1)) found.push(at);
  return found;
};

const matched = (entries: readonly TargetingRules[], asked: TargetingQuery): number[] =>
  mapDistinct(entries, (entry) => matchTargeting(entry, asked) === undefined).flatMap((matches, position) => (matches ? [position] : []));

const someOf = (...values: string[]) => fc.subarray(values);
const NAMES = ['age', 'colour', 'section', 'a=b', '__proto__', 'constructor'];
const VALUES = ['1', '2', 'b=1', '__proto__', ''];
const ends = fc.option(fc.constantFrom(-1, 0, 1, 2, 2.5, 1000), { nil: undefined });
const wide: fc.Arbitrary<TargetedValue> = fc.oneof(
  fc
    .record({ min: ends, max: ends })
    .filter(({ min, max }) => min !== undefined || max !== undefined)
    .map(({ min, max }) => ({ ...(min !== undefined && { min }), ...(max !== undefined && { max }) })),
  fc.constantFrom('', 'b', 'b=', '1').map((prefix) => ({ prefix })),
);
const values = fc.tuple(someOf(...VALUES), fc.array(wide, { maxLength: 2 })).map(([some, more]) => [...some, ...more]);
const ruleMap = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), values), { selector: ([name]) => name, maxLength: 3 })
  .map((pairs) => Object.fromEntries(pairs));
const fields: fc.Arbitrary<RuleFields> = fc.record(
  {
    countries: someOf('DE', 'US', 'FR'),
    cities: someOf('Berlin', 'Lyon'),
    devices: someOf('mobile', 'desktop'),
    languages: someOf('de', 'de-AT', 'en'),
    urls: someOf('news.example', 'news.example/sport'),
    audiences: someOf('a', 'b'),
    dimensions: ruleMap,
    key_values: ruleMap,
  },
  { requiredKeys: [] },
);
const ruled: fc.Arbitrary<TargetingRules> = fc
  .record({ includes: fields, exclude: fields })
  .map(({ includes, exclude }) => targetingRules({ ...includes, exclude }));
/** A line item may name a targeting besides its own. */
const entry = fc.oneof(
  ruled,
  fc.tuple(ruled, ruled).map((both) => both.flat()),
);
const pair = fc
  .tuple(fc.boolean(), fc.constantFrom(...NAMES), fc.constantFrom(...VALUES, '2.2', '1e3', '-1', 'bc'))
  .map(([registered, name, value]) => pairOf(registered ? 'dimensions' : 'key_values', name, value));
const anyQuery: fc.Arbitrary<TargetingQuery> = fc
  .record({
    country: fc.constantFrom('DE', 'US', 'XX', null),
    city: fc.constantFrom('Berlin', 'Lyon', 'Oakland', null),
    device: fc.constantFrom('mobile', 'tablet', null),
    pairs: fc.array(pair, { maxLength: 12 }),
    languages: someOf('de', 'de-at'),
    urls: someOf('news.example', 'news.example/sport'),
    audiences: someOf('a', 'c'),
  })
  .map(({ pairs, languages, urls, audiences, ...visitor }) => {
    const asked: Partial<Record<AskedKind, readonly string[]>> = { languages, urls, audiences };
    return new TargetingQuery([...query(visitor).pairs, ...pairs], (kind) => asked[kind] ?? []);
  });

test('a range that holds no number is met by no request', () => {
  const none = targetingRules({ key_values: { age: [{ min: 1, max: -1 }] } });
  const index = build([none, targetingRules({}), targetingRules({ exclude: { key_values: { age: [{ min: 1, max: -1 }] } } })]);
  for (const keyValues of [{}, { age: '0' }, { age: '1' }]) expect(scanned(index, query({ keyValues }))).toEqual([1, 2]);
});

test('the index finds exactly the entries whose rules match, in rank order', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 60 }), fc.array(anyQuery, { minLength: 1, maxLength: 5 }), (entries, queries) => {
      const index = build(entries);
      for (const asked of queries) expect(scanned(index, asked)).toEqual(matched(entries, asked));
    }),
    { numRuns: 500 },
  );
});

test('the index agrees with the rules over several pages: full, empty and partial', () => {
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 7 }),
      fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 1, max: 1500 }),
      anyQuery,
      (kinds, pattern, run, asked) => {
        // Runs of equal entries make full and empty words and pages; their edges fall anywhere.
        const entries = pattern.flatMap((kind) => Array.from({ length: run }, () => kinds[kind % kinds.length]!)).slice(0, 5000);
        expect(scanned(build(entries), asked)).toEqual(matched(entries, asked));
      },
    ),
    { numRuns: 100 },
  );
});

test('a scan may start anywhere, go back, and stop early', () => {
  const entries = Array.from({ length: 3000 }, (_, i) => targetingRules(i % 7 === 0 ? {} : { key_values: { k: i } }));
  const scanner = build(entries).eligible(query({ keyValues: { k: '2999' } }));

  expect(scanner.firstFrom(2990)).toBe(2996);
  expect(scanner.firstFrom(2997)).toBe(2999);
  expect(scanner.firstFrom(1)).toBe(7);
  expect(scanner.firstFrom(3000)).toBe(-1);
  const visited: number[] = [];
  scanner.forEachEligible(15, 100, (position) => visited.push(position) < 3);
  expect(visited).toEqual([21, 28, 35]);
  visited.length = 0;
  scanner.forEachEligible(0, 8, (position) => void visited.push(position));
  expect(visited).toEqual([0, 7]);
});

test('two scans of one index are independent', () => {
  const index = build(['DE', 'US', 'DE', 'US'].map((country) => targetingRules({ countries: [country] })));
  const german = index.eligible(query({ country: 'DE' }));
  const american = index.eligible(query({ country: 'US' }));

  const found = [0, 1, 2, 3].flatMap((from) => [german.firstFrom(from), american.firstFrom(from)]);
  expect(found).toEqual([0, 1, 2, 1, 2, 3, -1, 3]);
});

test('a request is asked only for what an entry of the index targets', () => {
  const asked: string[] = [];
  const visitor = (): TargetingQuery =>
    new TargetingQuery([], (kind) => {
      asked.push(kind);
      return kind === 'audiences' ? ['golfers'] : [];
    });

  expect(scanned(build([targetingRules({}), targetingRules({ countries: ['DE'] })]), visitor())).toEqual([0]);
  expect(asked).toEqual([]);
  const index = build([targetingRules({ audiences: ['golfers'] }), targetingRules({ exclude: { audiences: ['golfers'], os: ['iOS'] } })]);
  const golfer = visitor();
  expect(scanned(index, golfer)).toEqual([0]);
  expect(scanned(index, golfer)).toEqual([0]);
  expect(asked).toEqual(['os', 'audiences']);
});

test('many different ranges of one name cost a request a path of their tree', () => {
  const entries = Array.from({ length: 20_000 }, (_, i) => targetingRules({ key_values: { age: { min: i, max: i + 10_000 } } }));
  const index = build(entries);

  expect(scanned(index, query({ keyValues: { age: '3' } }))).toEqual([0, 1, 2, 3]);
  expect(scanned(index, query({ keyValues: { age: '15000.5' } }))).toHaveLength(10_000);
  expect(scanned(index, query({ keyValues: { age: '29999' } }))).toEqual([19_999]);
  expect(scanned(index, query({ keyValues: { age: 'old' } }))).toEqual([]);
});

test('an excluded value refuses, and what a request does not say excludes nothing', () => {
  const index = build([
    targetingRules({ exclude: { countries: ['DE'], key_values: { section: [{ prefix: 'sport' }, 'news'] } } }),
    targetingRules({ countries: ['DE', 'AT'], exclude: { devices: ['mobile'] } }),
  ]);
  expect(scanned(index, query())).toEqual([0]);
  expect(scanned(index, query({ country: 'DE' }))).toEqual([1]);
  expect(scanned(index, query({ country: 'AT', device: 'mobile' }))).toEqual([0]);
  expect(scanned(index, query({ country: 'AT', keyValues: { section: 'sports' } }))).toEqual([1]);
});

test('an unknown country or device reaches only entries without such a rule', () => {
  const index = build([targetingRules({ countries: ['DE'] }), targetingRules({ devices: ['mobile'] }), targetingRules({})]);
  expect(scanned(index, query())).toEqual([2]);
});

test('a dimension and a key-value of the same name and value differ', () => {
  const index = build([targetingRules({ dimensions: { age: [18] } }), targetingRules({ key_values: { age: '18' } })]);
  expect(scanned(index, new TargetingQuery([pairOf('dimensions', 'age', '18')]))).toEqual([0]);
  expect(scanned(index, new TargetingQuery([pairOf('key_values', 'age', '18')]))).toEqual([1]);
});

test('an empty list of candidates has no eligible entry', () => {
  expect(scanned(build([]), query())).toEqual([]);
});

test('a refusal names the rule, what the request offered and what the rule wanted', () => {
  const wanted = targetingRules({ countries: ['DE'], devices: ['mobile'], dimensions: { section: ['news', 'sport'] } });

  expect(matchTargeting(wanted, query())).toEqual({ rule: 'countries', detail: 'country is unknown, wanted DE' });
  expect(matchTargeting(wanted, query({ country: 'DE', device: 'tablet' }))).toEqual({
    rule: 'devices',
    detail: 'device is tablet, wanted mobile',
  });
  const excluding = targetingRules({ exclude: { key_values: { age: [{ min: 18, max: 34 }, { prefix: 'teen' }] } } });
  expect(matchTargeting(excluding, query({ keyValues: { age: '20' } }))).toEqual({
    rule: 'key_values',
    detail: 'age is 20, excluded 18 to 34, teen…',
  });
  expect(matchTargeting(wanted, query({ country: 'DE', device: 'mobile' }))).toEqual({
    rule: 'dimensions',
    detail: 'section is unknown, wanted news, sport',
  });
  expect(
    matchTargeting(wanted, query({ country: 'DE', device: 'mobile', keyValues: { section: 'sport' } }, ALL_REGISTERED)),
  ).toBeUndefined();
});
