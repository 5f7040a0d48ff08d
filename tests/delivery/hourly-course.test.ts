import { flightCourse } from '../../admin/delivery/course/flight-course.ts';
import { hourlyCourse } from '../../admin/delivery/course/hourly-course.ts';
import { dayOf } from '../../src/base/utc-day.ts';

const FLIGHT = { start_date: '2026-12-01', end_date: '2026-12-02' };
const courseAt = (day: string) => flightCourse(FLIGHT, [], 480, dayOf(Date.parse(day)));
const hours = [
  { day: '2026-12-01', hour: 2, impressions: 30 },
  { day: '2026-12-02', hour: 1, impressions: 10 },
];

test('the course of a short flight begins at nothing, is summed hour by hour, and ends with the newest hour while it runs', () => {
  const { times, delivered, planned } = hourlyCourse(courseAt('2026-12-02'), hours, 480);
  expect([times.length, delivered.length, planned?.length]).toEqual([49, 49, 49]);
  expect(delivered.slice(0, 5)).toEqual([0, 0, 0, 30, 30]);
  expect(delivered.slice(24, 28)).toEqual([30, 30, 40, null]);
  expect([times[0], times[48], planned?.[24], planned?.[48]]).toEqual([
    dayOf(Date.parse('2026-12-01')),
    dayOf(Date.parse('2026-12-03')),
    240,
    480,
  ]);
});

test('a short flight that is over has the sum of all its hours', () => {
  const { delivered, planned } = hourlyCourse(courseAt('2026-12-05'), hours, null);
  expect([delivered.at(-1), planned]).toEqual([40, undefined]);
});

test('the planned line of a line item with day-parts rises in its hours alone', () => {
  // 2026-12-01 is a Tuesday.
  const schedule = [
    { days: ['tue', 'wed'] as const, from: '08:00', to: '10:00' },
    { days: ['wed'] as const, from: '20:30', to: '22:30' },
  ];
  const { planned = [] } = hourlyCourse(courseAt('2026-12-02'), hours, 600, schedule);
  expect(planned).toHaveLength(49);
  expect([0, 8, 9, 10, 24, 32, 34, 44, 45, 46, 47, 48].map((hour) => planned[hour])).toEqual([
    0, 0, 100, 200, 200, 200, 400, 400, 450, 550, 600, 600,
  ]);
});
