import { readFileSync } from 'node:fs';
import path from 'node:path';
import { INVALID_REASONS } from '../../../src/ledger/hit.ts';
import { ACTIVITY_BOUNDS, MEMORY_DAYS, ORDER_RULES, OVER_TIME_RULE, REQUEST_RULES } from '../../../src/tracking/invalid-traffic/rules.ts';

const text = readFileSync(path.resolve(__dirname, '../../../docs/invalid-traffic.md'), 'utf8');

test('docs/invalid-traffic.md has a row for each rule, in the order of the rules, with its words', () => {
  const rows = [...text.slice(text.indexOf('## Rules')).matchAll(/^\| `(\w+)` \| (.+?) \|/gm)].map(([, name, words]) => [name, words]);
  const rules = [...REQUEST_RULES, ...ORDER_RULES, OVER_TIME_RULE];
  expect(rows.map(([name]) => name)).toEqual(rules.map(({ name }) => name));
  expect(rows).toEqual(rules.map(({ name, words }) => [name, words]));
  expect(rules.map(({ name }) => name)).toEqual(INVALID_REASONS);
});

test('docs/invalid-traffic.md has each bound of what a person does over time, with a reason', () => {
  const section = text.slice(text.indexOf('## Over time'), text.indexOf('## Under judgement'));
  const rows = [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].slice(1);
  expect(rows.map(([, bound]) => bound)).toEqual(ACTIVITY_BOUNDS);
  expect(section).toContain(`${MEMORY_DAYS} days after its last click`);
});
