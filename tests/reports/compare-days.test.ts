import { changeWords, compareDays, type HourRow } from '../../admin/reports/compare-days.ts';

const row = (hour: string, requests: number): HourRow => ({
  hour,
  requests,
  unfilled: requests / 4,
  impressions: requests / 2,
  viewable: requests / 4,
  clicks: requests / 100,
  revenue: requests / 1_000,
});
/** Requests of every hour of these days. */
const days = (offset: string, perHour: Readonly<Record<string, number>>): readonly HourRow[] =>
  Object.entries(perHour).flatMap(([day, requests]) =>
    Array.from({ length: 24 }, (_, hour) => row(`${day}T${String(hour).padStart(2, '0')}:00${offset}`, requests)),
  );

test('compares today with yesterday and last week up to the same time of day', () => {
  const rows = [
    ...days('Z', { '2026-11-21': 200, '2026-11-15': 50, '2026-11-20': 7_777 }),
    row('2026-11-22T00:00Z', 100),
    row('2026-11-22T10:00Z', 400),
  ];
  const figures = compareDays(rows, 'UTC', Date.parse('2026-11-22T10:30:00Z'));
  expect(figures.map(({ label }) => label)).toEqual(['Requests', 'Fill', 'Impressions', 'Viewability', 'CTR', 'Revenue']);
  expect(figures[0]).toMatchObject({ today: 500, yesterday: 2_100, lastWeek: 525 });
  expect(figures[0]!.hours).toEqual([100, ...Array<number>(9).fill(0), 400]);
  expect(figures[0]!.hoursBefore).toEqual(Array<number>(24).fill(200));
  expect(figures[1]).toMatchObject({ today: 0.75, yesterday: 0.75 });
  expect(figures[3]!.today).toBe(0.5);
  expect(figures[5]!.today).toBeCloseTo(0.5);
});

test('a day is that of the time zone of the report', () => {
  const rows = days('+09:00', { '2026-11-23': 10, '2026-11-22': 20 });
  const [requests] = compareDays(rows, 'Asia/Tokyo', Date.parse('2026-11-22T16:00:00Z'));
  expect(requests).toMatchObject({ today: 20, yesterday: 20 });
  expect(compareDays([], 'UTC', 0).every(({ today }) => today === 0)).toBe(true);
});

test.each([
  [112, 100, '▲ 12% on yesterday'],
  [80, 100, '▼ 20% on yesterday'],
  [100.4, 100, 'as yesterday'],
  [1_000, 100, '▲ 900% on yesterday'],
  [50, 0.0035, '▲ over tenfold on yesterday'],
  [50, 0, 'nothing yesterday'],
])('%d after %d is in words %p', (now, before, words) => {
  expect(changeWords(now, before, 'yesterday')).toBe(words);
});
