import fc from 'fast-check';
import { buildTargetingIndex } from '../../src/targeting/build-targeting-index.ts';
import { matchTargeting } from '../../src/targeting/match-targeting.ts';
import type { TargetingIndex } from '../../src/targeting/targeting-index.ts';
import { dimensionPair, keyValuePair } from '../../src/targeting/targeting-query.ts';
import type { TargetingQuery, TargetingRules } from '../../src/targeting/targeting-query.ts';

const build = (entries: readonly TargetingRules[]): TargetingIndex => {
  const steps = buildTargetingIndex(entries);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

const rules = (given: Partial<TargetingRules> = {}): TargetingRules => ({
  countries: [],
  devices: [],
  dimensions: new Map(),
  keyValues: new Map(),
  ...given,
});

const query = (given: Partial<TargetingQuery> = {}): TargetingQuery => ({ country: null, device: null, pairs: [], ...given });

const scanned = (index: TargetingIndex, asked: TargetingQuery): number[] => {
  const scanner = index.eligible(asked);
  const found: number[] = [];
  for (let at = scanner.next(); at !== -1; at = scanner.next()) found.push(at);
  return found;
};

const matched = (entries: readonly TargetingRules[], asked: TargetingQuery): number[] =>
  entries.flatMap((entry, position) => (matchTargeting(entry, asked) === undefined ? [position] : []));

const someOf = (...values: string[]) => fc.subarray(values);
const NAMES = ['age', 'colour', 'section', 'a=b', '__proto__', 'constructor'];
const VALUES = ['1', '2', 'b=1', '__proto__', ''];
const ruleMap = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), someOf(...VALUES)), { selector: ([name]) => name, maxLength: 3 })
  .map((pairs) => new Map(pairs));
const entry: fc.Arbitrary<TargetingRules> = fc.record({
  countries: someOf('DE', 'US', 'FR'),
  devices: someOf('mobile', 'desktop'),
  dimensions: ruleMap,
  keyValues: ruleMap,
});
const pair = fc
  .tuple(fc.boolean(), fc.constantFrom(...NAMES), fc.constantFrom(...VALUES))
  .map(([registered, name, value]) => (registered ? dimensionPair(name, value) : keyValuePair(name, value)));
const anyQuery: fc.Arbitrary<TargetingQuery> = fc.record({
  country: fc.constantFrom('DE', 'US', 'XX', null),
  device: fc.constantFrom('mobile', 'tablet', null),
  pairs: fc.array(pair, { maxLength: 12 }),
});

test('the index lets through exactly the entries that the plain rules let through, in rank order', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 60 }), fc.array(anyQuery, { minLength: 1, maxLength: 5 }), (entries, queries) => {
      const index = build(entries);
      for (const asked of queries) expect(scanned(index, asked)).toEqual(matched(entries, asked));
    }),
    { numRuns: 500 },
  );
});

test('the index agrees with the plain rules over several pages, full, empty and ragged ones', () => {
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
  const entries = Array.from({ length: 3000 }, (_, i) => rules(i % 7 === 0 ? {} : { keyValues: new Map([['k', [String(i)]]]) }));
  const scanner = build(entries).eligible(query({ pairs: [keyValuePair('k', '2999')] }));

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
  expect(scanner.next()).toBe(0);
});

test('two scans of one index do not disturb each other', () => {
  const index = build(['DE', 'US', 'DE', 'US'].map((country) => rules({ countries: [country] })));
  const german = index.eligible(query({ country: 'DE' }));
  const american = index.eligible(query({ country: 'US' }));

  expect([german.next(), american.next(), german.next(), american.next(), german.next(), american.next()]).toEqual([0, 1, 2, 3, -1, -1]);
});

test('an unknown country or device reaches only entries without such a rule', () => {
  const index = build([rules({ countries: ['DE'] }), rules({ devices: ['mobile'] }), rules()]);
  expect(scanned(index, query())).toEqual([2]);
});

test('a dimension and a key-value of the same name and value are two things', () => {
  const index = build([rules({ dimensions: new Map([['age', ['18']]]) }), rules({ keyValues: new Map([['age', ['18']]]) })]);
  expect(scanned(index, query({ pairs: [dimensionPair('age', '18')] }))).toEqual([0]);
  expect(scanned(index, query({ pairs: [keyValuePair('age', '18')] }))).toEqual([1]);
});

test('an empty list of candidates lets nothing through', () => {
  expect(scanned(build([]), query())).toEqual([]);
});

test('a refusal says which rule was missed and what it wanted', () => {
  const wanted = rules({ countries: ['DE'], devices: ['mobile'], dimensions: new Map([['section', ['news', 'sport']]]) });

  expect(matchTargeting(wanted, query())).toEqual({ rule: 'countries', detail: 'country is unknown, wanted DE' });
  expect(matchTargeting(wanted, query({ country: 'DE', device: 'tablet' }))).toEqual({
    rule: 'devices',
    detail: 'device is tablet, wanted mobile',
  });
  expect(matchTargeting(wanted, query({ country: 'DE', device: 'mobile' }))).toEqual({
    rule: 'dimensions',
    detail: 'section wanted news, sport',
  });
  expect(matchTargeting(wanted, query({ country: 'DE', device: 'mobile', pairs: [dimensionPair('section', 'sport')] }))).toBeUndefined();
});
