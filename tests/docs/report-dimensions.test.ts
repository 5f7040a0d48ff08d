import { readFileSync } from 'node:fs';
import { groupBy } from '../../src/base/group-by.ts';
import { DIMENSION_NAMES, dimensionOf } from '../../src/reports/report-dimensions.ts';

test('docs/reports.md says of every dimension what a report of the past has', () => {
  const docs = readFileSync('docs/reports.md', 'utf8');
  const rows = [...groupBy(DIMENSION_NAMES, (name) => dimensionOf(name).past)].map(
    ([past, names]) => `| ${names.map((name) => `\`${name}\``).join(', ')} | ${past} |`,
  );
  for (const row of rows) expect(docs).toContain(row);
});
