import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SECONDS_PER_DAY } from '../src/base/utc-day.ts';

const ROOT = path.resolve(__dirname, '..');
const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');

/** What a constant is set to, as text: numbers, operators and other constants. */
const constants = (source: string): ReadonlyMap<string, string> =>
  new Map([...source.matchAll(/^(?:export )?const (MAX_[A-Z_]+) = ([^;]+);/gm)].map(([, name = '', value = '']) => [name, value]));

/** Products of numbers; a constant from elsewhere must be in the table, too. */
const valueOf = (expression: string, others: ReadonlyMap<string, number>): number =>
  expression
    .split('*')
    .map((factor) => others.get(factor.trim()) ?? Number(factor.trim().replaceAll('_', '')))
    .reduce((product, factor) => product * factor, 1);

const rows = [...read('docs/operations.md').matchAll(/^\| [^|]+ \| ([\d,]+)[^|]* \| `(MAX_[A-Z_]+)` in `([^`]+)` \|$/gm)].map(
  ([, figure = '', name = '', file = '']) => ({ name, file, figure: Number(figure.replaceAll(',', '')) }),
);

test('the table of limits has the figures of the code', () => {
  expect(rows.length).toBeGreaterThan(25);
  const known = new Map([
    ['SECONDS_PER_DAY', SECONDS_PER_DAY],
    ...rows.filter(({ name }) => name === 'MAX_CONTENT_LENGTH').map(({ name, figure }) => [name, figure] as const),
  ]);
  const ofCode = rows.map(({ name, file }) => ({ name, file, figure: valueOf(constants(read(file)).get(name) ?? '', known) }));
  expect(rows).toEqual(ofCode);
});

test('the table has every limit of src/http', () => {
  const files = readdirSync(path.join(ROOT, 'src/http'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const limits = files.flatMap((name) =>
    [...constants(read(path.join('src/http', name))).keys()].map((constant) => `${constant} in src/http/${name}`),
  );
  const listed = rows.map(({ name, file }) => `${name} in ${file}`);
  expect(limits.filter((limit) => !listed.includes(limit))).toEqual([]);
});
