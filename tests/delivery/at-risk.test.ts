import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { atRiskMicros, type JudgedBooking } from '../../src/delivery/attention/find-bookings.ts';
import { byMoney } from '../../src/delivery/at-stake/by-money.ts';
import { itemGroups } from '../../src/delivery/attention/line-item-groups.ts';
import type { LineItemStatus } from '../../src/delivery/status/status.ts';

const NOW = Date.UTC(2026, 11, 6);
/** Five of ten days are left of what brings 100 USD. */
const booking = (
  status: Pick<LineItemStatus, 'value' | 'off_pace' | 'behind'>,
  valueMicros: number | null = 100_000_000,
): JudgedBooking => ({
  ...{ id: 1, name: 'Boots', publisherId: 1, currency: 'USD', endsSoon: false, valueMicros },
  ...{ startMs: NOW - 5 * MS_PER_DAY, endMs: NOW + 5 * MS_PER_DAY },
  status: { reasons: [], held_until: null, stuck_creatives: [], ...status },
});

test('of a line item that is behind, the part of its value that is behind is at risk', () => {
  expect(atRiskMicros(booking({ value: 'behind', off_pace: 0.25, behind: 'Behind by 25%' }), NOW)).toBe(25_000_000);
  expect(atRiskMicros(booking({ value: 'capped', off_pace: 0.1, behind: 'Behind by 10%' }), NOW)).toBe(10_000_000);
});

test('of one that is never shown, the value of the days that are left', () => {
  expect(atRiskMicros(booking({ value: 'cannot serve', off_pace: 0, behind: null }), NOW)).toBe(50_000_000);
  expect(atRiskMicros(booking({ value: 'outranked', off_pace: 0, behind: null }), NOW - 20 * MS_PER_DAY)).toBe(100_000_000);
  expect(atRiskMicros(booking({ value: 'outranked', off_pace: 0, behind: null }), NOW + 6 * MS_PER_DAY)).toBe(0);
});

test('nothing is at risk of one that is on its course, and nothing is known without an agreed value', () => {
  expect(atRiskMicros(booking({ value: 'delivering', off_pace: 0, behind: null }), NOW)).toBe(0);
  expect(atRiskMicros(booking({ value: 'cannot serve', off_pace: 0, behind: null }, null), NOW)).toBeNull();
});

test('what is forecast to miss its goal comes by money, but for what is late already', () => {
  const short = (id: number, valueMicros: number | null, expected: number) => ({
    ...{ id, name: `#${id}`, publisherId: 1, currency: 'USD', valueMicros, endMs: NOW + 30 * MS_PER_DAY, untilMs: NOW + 27 * MS_PER_DAY },
    short: { lineItemId: id, goal: 50_000, due: 40_000, expected, remedy: null },
  });
  const late = booking({ value: 'behind', off_pace: 0.25, behind: 'Behind by 25%' });
  const groups = itemGroups(
    [late],
    [short(1, 9_000_000, 0), short(2, 10_000_000, 30_000), short(3, 20_000_000, 30_000), short(4, null, 0)],
    NOW,
  );
  const found = groups.find(({ kind }) => kind === 'will_miss')!;
  // A fifth of the goal is missing of each.
  expect(found.rows.map(({ id, at_risk }) => [id, at_risk])).toEqual([
    [3, 4],
    [2, 2],
    [4, null],
  ]);
  expect(found).toMatchObject({ total: 3, at_risk: [{ currency: 'USD', amount: 6 }] });
  expect(found.rows[0]!.text).toBe('expected to deliver 30,000 of 40,000 that are due by 2027-01-01');
});

test('one list by money has what is late and what will be, each with what the forecast says helps it', () => {
  const remedy = { change: 'longer', words: 'run 7 days longer', p50: 40_000, fields: { end_date: '2026-12-20' } } as const;
  const short = (id: number, valueMicros: number) => ({
    ...{ id, name: `#${id}`, publisherId: 1, currency: 'USD', valueMicros, endMs: NOW + 30 * MS_PER_DAY, untilMs: NOW + 27 * MS_PER_DAY },
    short: { lineItemId: id, goal: 50_000, due: 40_000, expected: 30_000, remedy },
  });
  const late = booking({ value: 'behind', off_pace: 0.25, behind: 'Behind by 25%' });
  const { sums, rows } = byMoney(itemGroups([late], [short(1, 1), short(2, 200_000_000), short(3, 50_000_000)], NOW));
  expect(sums).toEqual([{ currency: 'USD', amount: 75 }]);
  expect(rows.map(({ kind, row }) => [kind, row.id, row.at_risk, row.remedy?.words])).toEqual([
    ['will_miss', 2, 40, 'run 7 days longer'],
    ['behind', 1, 25, 'run 7 days longer'],
    ['will_miss', 3, 10, 'run 7 days longer'],
  ]);
});
