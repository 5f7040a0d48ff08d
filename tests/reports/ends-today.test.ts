import { endsToday } from '../../admin/reports/ends-today.ts';

test('a report ends with the day that runs in its own time zone', () => {
  const late = Date.parse('2026-11-27T23:30:00Z');
  expect(endsToday({ to: '2026-11-27', time_zone: 'UTC' }, late)).toBe(true);
  expect(endsToday({ to: '2026-11-27', time_zone: 'Europe/Berlin' }, late)).toBe(false);
  expect(endsToday({ to: '2026-11-28', time_zone: 'Europe/Berlin' }, late)).toBe(true);
  expect(endsToday({ to: '2026-11-26', time_zone: 'UTC' }, late)).toBe(false);
});
