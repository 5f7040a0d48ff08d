import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { MAX_XLSX_ROWS, writeTable } from '../../src/reports/write-report.ts';

const file = {
  name: 'report',
  columns: [{ name: 'clicks', label: 'Clicks', kind: 'count' }],
  currency: null,
  instead: 'choose CSV',
} as const;
const parts = [Array.from({ length: MAX_XLSX_ROWS }, (_, clicks) => ({ clicks })), [{ clicks: -1 }]];

test('an Excel file with too many rows is refused before it begins, and CSV has them all', async () => {
  const begun: string[] = [];
  const begin = (headers: Readonly<Record<string, string>>) => {
    begun.push(headers['Content-Disposition'] ?? '');
    return new PassThrough({ highWaterMark: 1_000_000 });
  };
  const refused = await writeTable(begin, { ...file, format: 'xlsx' }, parts);
  expect([refused?.problem.detail, begun]).toEqual(['An Excel file has at most 10000 rows: choose CSV.', []]);

  const out = new PassThrough({ highWaterMark: 1_000_000 });
  expect(await writeTable((headers) => (begin(headers), out), { ...file, format: 'csv' }, parts)).toBeUndefined();
  expect(begun).toEqual(['attachment; filename="report.csv"']);
  expect((await text(out)).split('\r\n').filter(Boolean)).toHaveLength(MAX_XLSX_ROWS + 2);
});

test('an Excel file says how long it is', async () => {
  const out = new PassThrough({ highWaterMark: 1_000_000 });
  let length = '';
  await writeTable(({ 'Content-Length': bytes = '' }) => ((length = bytes), out), { ...file, format: 'xlsx' }, [[{ clicks: 5 }]]);
  const chunks: Buffer[] = [];
  for await (const chunk of out) chunks.push(chunk as Buffer);
  expect(String(Buffer.concat(chunks).length)).toBe(length);
});
