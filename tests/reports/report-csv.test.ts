import { reportCsv } from '../../src/reports/record-report/report-csv.ts';
import { REPORT_COLUMNS, type ReportRow } from '../../src/reports/record-report/report-columns.ts';

const figures = {
  ...{ serves: 1, gross_impressions: 3, filtered_impressions: 2, provisional_impressions: 0, impressions: 1 },
  ...{ gross_clicks: 0, filtered_clicks: 0, provisional_clicks: 0, clicks: 0 },
  ...{ viewable: 0, ctr: 0, events: {}, filtered: {}, spend: 0.001, ecpm: 1 },
};

const csvOf = async (
  names: readonly (string | null)[],
  events: Readonly<Record<string, number>> = {},
  filtered: Readonly<Record<string, number>> = {},
): Promise<string> => {
  const rows = names.map((line_item) => ({ day: '2026-01-01', line_item_id: 2, line_item, creative_id: 3, ...figures, events, filtered }));
  let csv = '';
  for await (const part of reportCsv(REPORT_COLUMNS.keys, { events, filtered }, pagesOf(rows))) csv += part;
  return csv;
};

/** Pages of one row, and an empty one. */
async function* pagesOf(rows: readonly ReportRow[]): AsyncGenerator<readonly ReportRow[]> {
  for (const row of rows) yield [row];
  yield await Promise.resolve([]);
}

const names = (csv: string): readonly string[] =>
  csv
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.slice('2026-01-01,2,'.length, -',3,1,3,2,0,1,0,0,0,0,0,0,0.001,1'.length));

test('a text that a spreadsheet would run as a formula gets an apostrophe', async () => {
  const formulas = ['=1', '+1', '-1', '@a', '\t=1', '＝1'];
  expect(names(await csvOf(formulas))).toEqual(formulas.map((text) => `'${text}`));
  expect(names(await csvOf(['\n=1', '\r=1']))).toEqual([`"'\n=1"`, `"'\r=1"`]);
});

test('commas, quotes and line breaks are quoted, and a deleted line item has no name', async () => {
  expect(names(await csvOf(['a,b', 'a"b', 'a\nb', 'a\rb', '', null]))).toEqual(['"a,b"', '"a""b"', '"a\nb"', '"a\rb"', '', '']);
});

test('a report without rows is a header, with a column per event type and kind of filtered hits in order', async () => {
  const impressions = 'gross_impressions,filtered_impressions,provisional_impressions,impressions';
  const counts = `serves,${impressions},gross_clicks,filtered_clicks,provisional_clicks,clicks,viewable,ctr`;
  const header = (byName: string) => `day,line_item_id,line_item,creative_id,${counts},${byName}spend,ecpm\r\n`;
  expect(await csvOf([])).toBe(header(''));
  expect(await csvOf([], { share: 1, 'a.b': 2 })).toBe(header('event_a.b,event_share,'));
  expect(await csvOf([], { share: 1 }, { impression_spider: 2, click_fast_click: 1 })).toBe(
    header('event_share,filtered_click_fast_click,filtered_impression_spider,'),
  );
});
