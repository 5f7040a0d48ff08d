import fc from 'fast-check';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { addFlatFees, type FlatFee } from '../../src/events/flat-fees.ts';
import { withoutDelivery, type StoredReportRow } from '../../src/events/postgres/campaign-report.ts';

const FROM = Date.UTC(2026, 5, 1);
const fee = (feeMicros: number, startMs: number, endMs: number) => ({
  campaignId: 3,
  lineItemId: 7,
  lineItem: 'deal',
  feeMicros,
  startMs,
  endMs,
});
const row = (date: string, creativeId: number, impressions: number, changes: Partial<StoredReportRow> = {}): StoredReportRow => ({
  ...{
    date,
    campaignId: 3,
    lineItemId: 7,
    lineItem: 'deal',
    creativeId,
    serves: impressions,
    impressions,
    clicks: 0,
    spendMicros: 0,
    events: {},
    filtered: {},
  },
  ...changes,
});
const ALL = { from: '2026-05-01', to: '2026-09-30' };
const add = (rows: readonly StoredReportRow[], deal: FlatFee, days = ALL) => addFlatFees(rows, [deal], days, withoutDelivery);
const spendOf = (rows: readonly StoredReportRow[]) => rows.map(({ date, creativeId, spendMicros }) => [date, creativeId, spendMicros]);

test('a fee is spread evenly over the days of the flight, with or without delivery', () => {
  const rows = add([], fee(1_000_000, FROM, FROM + 3 * MS_PER_DAY));
  expect(spendOf(rows)).toEqual([
    ['2026-06-01', null, 333_333],
    ['2026-06-02', null, 333_333],
    ['2026-06-03', null, 333_334],
  ]);
});

test('the creatives of a day share its part by their impressions; rows before and after the flight, and of others, stay', () => {
  const other = row('2026-06-01', 9, 5, { lineItemId: 8, lineItem: 'other', spendMicros: 10 });
  const [early, late] = [row('2026-05-31', 1, 3), row('2026-06-03', 1, 3)];
  const stored = [early, row('2026-06-01', 1, 2), row('2026-06-01', 2, 1), other, row('2026-06-02', 1, 0), row('2026-06-02', 2, 0), late];
  const rows = add(stored, fee(2_000_000, FROM, FROM + 2 * MS_PER_DAY));
  expect(spendOf(rows)).toEqual([
    ['2026-05-31', 1, 0],
    ['2026-06-01', 1, 666_666],
    ['2026-06-01', 2, 333_334],
    ['2026-06-01', 9, 10],
    ['2026-06-02', 1, 1_000_000],
    ['2026-06-02', 2, 0],
    ['2026-06-03', 1, 0],
  ]);
});

test('a day that is partly in the flight earns its part, and a report of some days only theirs', () => {
  const deal = fee(4_000_000, FROM + MS_PER_DAY / 2, FROM + 2.5 * MS_PER_DAY);
  expect(spendOf(add([], deal)).map(([, , micros]) => micros)).toEqual([1_000_000, 2_000_000, 1_000_000]);
  expect(spendOf(add([], deal, { from: '2026-06-02', to: '2026-06-02' }))).toEqual([['2026-06-02', null, 2_000_000]]);
});

test('the days of any flight sum to the fee, to the micro', () => {
  const anyFee = fc.record({
    feeMicros: fc.integer({ min: 1, max: 1_000_000_000_000_000 }),
    startMs: fc.integer({ min: FROM, max: FROM + 20 * MS_PER_DAY }),
    lengthMs: fc.integer({ min: 1, max: 90 * MS_PER_DAY }),
    impressions: fc.array(fc.nat(10_000), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(anyFee, ({ feeMicros, startMs, lengthMs, impressions }) => {
      const date = new Date(startMs).toISOString().slice(0, 10);
      const stored = impressions.map((count, i) => row(date, i + 1, count));
      const rows = add(stored, fee(feeMicros, startMs, startMs + lengthMs));
      expect(rows.reduce((sum, { spendMicros }) => sum + spendMicros, 0)).toBe(feeMicros);
      expect(rows.every(({ spendMicros }) => Number.isSafeInteger(spendMicros) && spendMicros >= 0)).toBe(true);
    }),
  );
});
