import { readFileSync } from 'node:fs';
import path from 'node:path';
import { INVALID_REASONS } from '../../../src/ledger/hit.ts';
import { ORDER_RULES, REQUEST_RULES } from '../../../src/tracking/invalid-traffic/rules.ts';

test('docs/invalid-traffic.md has a row for each rule, in the order of the rules, with its words', () => {
  const text = readFileSync(path.resolve(__dirname, '../../../docs/invalid-traffic.md'), 'utf8');
  const rows = [...text.slice(text.indexOf('## Rules')).matchAll(/^\| `(\w+)` \| (.+?) \|/gm)].map(([, name, words]) => [name, words]);
  const rules = [...REQUEST_RULES, ...ORDER_RULES];
  expect(rows.map(([name]) => name)).toEqual(rules.map(({ name }) => name));
  expect(rows).toEqual(rules.map(({ name, words }) => [name, words]));
  expect(rules.map(({ name }) => name)).toEqual(INVALID_REASONS);
});
