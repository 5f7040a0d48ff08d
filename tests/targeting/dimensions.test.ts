import { readFileSync } from 'node:fs';
import { checkDimensions, withDimensionTypes } from '../../src/targeting/check-dimensions.ts';
import { parseDimensionSchema } from '../../src/targeting/dimension-schema.ts';
import type { DimensionSchema } from '../../src/targeting/dimension-schema.ts';
import { targetingQuery } from '../../src/targeting/targeting-query.ts';
import { pairOf } from '../../src/targeting/targeting-rules.ts';

const schemaOf = (properties: Record<string, unknown>): DimensionSchema => {
  const parsed = parseDimensionSchema({ type: 'object', properties });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.schema;
};

const SCHEMA = schemaOf({
  section: { type: 'string', enum: ['news', 'sport'] },
  age: { type: 'integer', minimum: 13, maximum: 120 },
  score: { type: 'number', minimum: 0, maximum: 1 },
  logged_in: { type: 'boolean' },
});

const request = (values: Record<string, unknown>) => checkDimensions(SCHEMA, values, { pointer: '/ext/kv', unregistered: 'allowed' });

test('the shipped schema is valid and has at least one dimension of each type', () => {
  const parsed = parseDimensionSchema(JSON.parse(readFileSync('config/dimensions.json', 'utf8')));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  expect(new Set(Array.from(parsed.schema.values(), ({ type }) => type))).toEqual(new Set(['string', 'number', 'integer', 'boolean']));
});

test('values of the registered type, set and range are accepted, alone or in a list, with free key-values beside them', () => {
  expect(request({ section: 'news', age: 13, score: 1, logged_in: false, colour: 'red' })).toEqual([]);
  expect(request({ section: ['news', 'sport'], age: [120], score: [0, 0.5], logged_in: [true, false] })).toEqual([]);
});

test('every invalid value is listed with its pointer and the values allowed', () => {
  expect(request({ section: 'weather', age: [18, 12, '20 ', 18.5, '12', ''], score: 1.01, logged_in: 'yes' })).toEqual([
    { pointer: '/ext/kv/section', detail: 'must be one of news, sport' },
    { pointer: '/ext/kv/age/1', detail: 'must be at least 13' },
    { pointer: '/ext/kv/age/2', detail: 'must be an integer' },
    { pointer: '/ext/kv/age/3', detail: 'must be an integer' },
    { pointer: '/ext/kv/age/4', detail: 'must be at least 13' },
    { pointer: '/ext/kv/age/5', detail: 'must be an integer' },
    { pointer: '/ext/kv/score', detail: 'must be at most 1' },
    { pointer: '/ext/kv/logged_in', detail: 'must be a boolean' },
  ]);
});

test('a value in text is a value in the type of its dimension, in requests and bookings alike', () => {
  const spelled = { section: 'news', age: ['30', 31], score: '5e-1', logged_in: 'false', colour: '30' };
  const typed = { section: 'news', age: [30, 31], score: 0.5, logged_in: false, colour: '30' };
  expect(request(spelled)).toEqual([]);
  expect(withDimensionTypes(SCHEMA, spelled)).toEqual(typed);
  expect(withDimensionTypes(SCHEMA, typed)).toBe(typed);
  const pairs = (values: object) => targetingQuery(SCHEMA, {}, { ...values }).pairs;
  expect(pairs(spelled)).toEqual(pairs(typed));
  const channels = schemaOf({ channel: { type: 'string', enum: ['7'] } });
  expect(withDimensionTypes(channels, { channel: 7 })).toEqual({ channel: '7' });
  // What has no such spelling stays as it is, for the check to refuse.
  const wrong = { age: ['030', '0x1f', ' 30', 'NaN'], logged_in: [1, 'TRUE'] };
  expect(withDimensionTypes(SCHEMA, wrong)).toBe(wrong);
  expect(request(wrong)).toHaveLength(6);
});

test.each([null, {}, [[13]], [null], Number.NaN, Number.POSITIVE_INFINITY])('%p is not a value of a dimension', (value) => {
  expect(request({ age: value })).toHaveLength(1);
  expect(request({ score: value })).toHaveLength(1);
});

test('a line item may not use an unregistered dimension of any name', () => {
  const values = JSON.parse('{"colour": ["red"], "__proto__": ["x"], "constructor": ["y"], "a/b~c": [1]}') as Record<string, unknown>;
  const faults = checkDimensions(SCHEMA, values, { pointer: '/targeting/dimensions', unregistered: 'refused' });
  expect(faults.map(({ pointer }) => pointer)).toEqual([
    '/targeting/dimensions/colour',
    '/targeting/dimensions/__proto__',
    '/targeting/dimensions/constructor',
    '/targeting/dimensions/a~1b~0c',
  ]);
});

test('a dimension has its title as a label, else its name in words', () => {
  const parsed = parseDimensionSchema({
    properties: {
      content_language: { type: 'string' },
      'logged-in': { type: 'boolean' },
      IAB: { type: 'string' },
      _: { type: 'string' },
      seg: { type: 'string', title: 'Audience segment' },
    },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  const labels = Array.from(parsed.schema.values(), ({ label }) => label);
  expect(labels).toEqual(['Content language', 'Logged in', 'IAB', '_', 'Audience segment']);
});

test('a schema file is refused with all of its faults', () => {
  const parsed = parseDimensionSchema({
    properties: {
      a: { type: 'text' },
      b: { type: 'string', minimum: 1 },
      c: { type: 'integer', enum: [1, 2.5, 9], maximum: 5 },
      d: { type: 'number', minimum: 2, maximum: 1 },
      e: { type: 'string', pattern: 'x' },
      f: { type: 'boolean', enum: [] },
      g: 7,
      h: { type: 'string', title: 1, description: [] },
    },
  });
  expect(parsed.ok ? [] : parsed.faults.map(({ pointer }) => pointer)).toEqual([
    '/properties/a/type',
    '/properties/b/minimum',
    '/properties/c/enum/1',
    '/properties/c/enum/2',
    '/properties/d/minimum',
    '/properties/e/pattern',
    '/properties/f/enum',
    '/properties/g',
    '/properties/h/title',
    '/properties/h/description',
  ]);
  expect(parseDimensionSchema([]).ok).toBe(false);
  expect(parseDimensionSchema({}).ok).toBe(false);
});

test('a request gives one pair per known value, and a registered dimension gives a pair of each kind', () => {
  expect(targetingQuery(SCHEMA, { country: 'DE', device: null }, { colour: ['red', 7, null, { x: 1 }], age: 18 }).pairs).toEqual([
    pairOf('countries', 'country', 'DE'),
    pairOf('key_values', 'colour', 'red'),
    pairOf('key_values', 'colour', '7'),
    pairOf('key_values', 'age', '18'),
    pairOf('dimensions', 'age', '18'),
  ]);
});
