import { reportCsv } from '../../src/trafficking/insight/report-csv.ts';
import type { CampaignReport } from '../../src/trafficking/insight/report-columns.ts';

const figures = { serves: 1, impressions: 1, clicks: 0, viewable: 0, ctr: 0, events: {}, spend: 0.001, ecpm: 1 };

const reportOf = (names: readonly (string | null)[], events: Readonly<Record<string, number>> = {}): CampaignReport => ({
  campaign_id: 1,
  from: '2026-01-01',
  to: '2026-01-01',
  rows: names.map((line_item) => ({ day: '2026-01-01', line_item_id: 2, line_item, creative_id: 3, ...figures, events })),
  totals: { ...figures, events },
});

const names = (csv: string): readonly string[] =>
  csv
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.slice('2026-01-01,2,'.length, -',3,1,1,0,0,0,0.001,1'.length));

test('a text that a spreadsheet would run as a formula gets an apostrophe', () => {
  const formulas = ['=1', '+1', '-1', '@a', '\t=1', '＝1'];
  expect(names(reportCsv(reportOf(formulas)))).toEqual(formulas.map((text) => `'${text}`));
  expect(names(reportCsv(reportOf(['\n=1', '\r=1'])))).toEqual([`"'\n=1"`, `"'\r=1"`]);
});

test('commas, quotes and line breaks are quoted, and a deleted line item has no name', () => {
  expect(names(reportCsv(reportOf(['a,b', 'a"b', 'a\nb', 'a\rb', '', null])))).toEqual(['"a,b"', '"a""b"', '"a\nb"', '"a\rb"', '', '']);
});

test('a report without rows is a header, with a column per event type in order', () => {
  const header = (events: string) =>
    `day,line_item_id,line_item,creative_id,serves,impressions,clicks,viewable,ctr,${events}spend,ecpm\r\n`;
  expect(reportCsv(reportOf([]))).toBe(header(''));
  expect(reportCsv(reportOf([], { share: 1, 'a.b': 2 }))).toBe(header('event_a.b,event_share,'));
});
