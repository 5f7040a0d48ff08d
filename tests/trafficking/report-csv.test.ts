import { reportCsv as csvOf } from '../../src/trafficking/insight/report-csv.ts';
import { REPORT_COLUMNS, type CampaignReport } from '../../src/trafficking/insight/report-columns.ts';

const figures = {
  ...{ serves: 1, gross_impressions: 3, filtered_impressions: 2, impressions: 1, gross_clicks: 0, filtered_clicks: 0, clicks: 0 },
  ...{ viewable: 0, ctr: 0, events: {}, filtered: {}, spend: 0.001, ecpm: 1 },
};

const reportOf = (
  names: readonly (string | null)[],
  events: Readonly<Record<string, number>> = {},
  filtered: Readonly<Record<string, number>> = {},
): CampaignReport => ({
  campaign_id: 1,
  from: '2026-01-01',
  to: '2026-01-01',
  rows: names.map((line_item) => ({ day: '2026-01-01', line_item_id: 2, line_item, creative_id: 3, ...figures, events, filtered })),
  totals: { ...figures, events, filtered },
});

const reportCsv = (report: CampaignReport): string => csvOf(report, REPORT_COLUMNS.keys);

const names = (csv: string): readonly string[] =>
  csv
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.slice('2026-01-01,2,'.length, -',3,1,3,2,1,0,0,0,0,0,0.001,1'.length));

test('a text that a spreadsheet would run as a formula gets an apostrophe', () => {
  const formulas = ['=1', '+1', '-1', '@a', '\t=1', '＝1'];
  expect(names(reportCsv(reportOf(formulas)))).toEqual(formulas.map((text) => `'${text}`));
  expect(names(reportCsv(reportOf(['\n=1', '\r=1'])))).toEqual([`"'\n=1"`, `"'\r=1"`]);
});

test('commas, quotes and line breaks are quoted, and a deleted line item has no name', () => {
  expect(names(reportCsv(reportOf(['a,b', 'a"b', 'a\nb', 'a\rb', '', null])))).toEqual(['"a,b"', '"a""b"', '"a\nb"', '"a\rb"', '', '']);
});

test('a report without rows is a header, with a column per event type and kind of filtered hits in order', () => {
  const counts = 'serves,gross_impressions,filtered_impressions,impressions,gross_clicks,filtered_clicks,clicks,viewable,ctr';
  const header = (byName: string) => `day,line_item_id,line_item,creative_id,${counts},${byName}spend,ecpm\r\n`;
  expect(reportCsv(reportOf([]))).toBe(header(''));
  expect(reportCsv(reportOf([], { share: 1, 'a.b': 2 }))).toBe(header('event_a.b,event_share,'));
  expect(reportCsv(reportOf([], { share: 1 }, { impression_spider: 2, click_fast_click: 1 }))).toBe(
    header('event_share,filtered_click_fast_click,filtered_impression_spider,'),
  );
});
