import fc from 'fast-check';
import { momentOnClocks, onClocksOf } from '../../admin/words/local-time.ts';

const QUARTER_MS = 900_000;
const ZONES = ['UTC', 'Europe/Helsinki', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];

test('a moment is typed and read on the clocks of a time zone', () => {
  expect(onClocksOf('Europe/Helsinki', '2026-12-06T17:00:00.000Z')).toBe('2026-12-06T19:00');
  expect(momentOnClocks('Europe/Helsinki', '2026-07-06T19:00')).toBe('2026-07-06T16:00:00.000Z');
  expect(momentOnClocks('America/New_York', '2026-03-08T03:00')).toBe('2026-03-08T07:00:00.000Z');
  expect(momentOnClocks('Europe/Helsinki', '')).toBe('');
});

test('what is read is typed back as it was, also when clocks change', () => {
  const moments = fc
    .integer({ min: 0, max: 70_000 })
    .map((quarters) => new Date(Date.UTC(2026, 0, 1) + quarters * QUARTER_MS).toISOString());
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), moments, (zone, moment) => {
      const shown = onClocksOf(zone, moment);
      expect(onClocksOf(zone, momentOnClocks(zone, shown))).toBe(shown);
    }),
    { numRuns: 2_000, seed: 7 },
  );
});
