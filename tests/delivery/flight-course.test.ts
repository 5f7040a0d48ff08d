import { flightCourse } from '../../admin/delivery/course/flight-course.ts';
import { withForecast } from '../../admin/delivery/course/with-forecast.ts';
import { dayOf } from '../../src/base/utc-day.ts';

const FLIGHT = { start_date: '2026-12-01', end_date: '2026-12-10' };
const at = (day: string): number => dayOf(Date.parse(day));
const days = (...impressions: number[]) => impressions.map((each, i) => ({ day: `2026-12-0${i + 1}`, impressions: each }));

test('a running flight has its sums up to today, an even course to its goal, and a projection by its full days', () => {
  const course = flightCourse(FLIGHT, days(100, 100, 100, 20), 1_000, at('2026-12-04'));
  expect(course).toMatchObject({ state: 'running', total: 320, projection: { low: 1_000, likely: 1_000, high: 1_000 } });
  expect(course.delivered).toEqual([100, 200, 300, 320, null, null, null, null, null, null]);
  expect(course.planned).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]);
});

test('what runs on some days of the week is due on these', () => {
  const schedule = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '12:00' }] as const;
  // From a Tuesday on.
  const { planned } = flightCourse({ ...FLIGHT, schedule }, [], 800, at('2026-12-01'));
  expect(planned).toEqual([100, 200, 300, 400, 400, 400, 500, 600, 700, 800]);
});

test('the range of a projection grows with how much the days differ, and is never below what was delivered nor above the goal', () => {
  const { projection } = flightCourse(FLIGHT, days(50, 150, 100), null, at('2026-12-04'));
  // 300 so far and seven days of 100, with a standard deviation of 40.8 each: 1.28 × 40.8 × √7 = 138.
  expect(projection).toEqual({ low: 862, likely: 1_000, high: 1_138 });
  expect(flightCourse(FLIGHT, days(50, 150, 100), 1_050, at('2026-12-04')).projection).toEqual({ low: 862, likely: 1_000, high: 1_050 });
  expect(flightCourse(FLIGHT, days(0, 900, 0), null, at('2026-12-10')).projection?.low).toBe(900);
});

test('a flight that is over, to come or on its first day has no projection', () => {
  expect(flightCourse(FLIGHT, days(5), 10, at('2026-12-11'))).toMatchObject({ state: 'finished', total: 5, projection: undefined });
  expect(flightCourse(FLIGHT, [], 10, at('2026-11-30'))).toMatchObject({ state: 'future', total: 0, projection: undefined });
  expect(flightCourse(FLIGHT, days(5), 10, at('2026-12-01'))).toMatchObject({ state: 'running', projection: undefined });
});

test('a forecast goes on from the sum of today, with its range in the proportion of all of it, up to the end of the flight', () => {
  const by_day = ['04', '05', '06', '11'].map((day) => ({ day: `2026-12-${day}`, p50: 100 }));
  const course = withForecast(flightCourse(FLIGHT, days(100, 100, 100, 20), 1_000, at('2026-12-04')), {
    p10: 300,
    p50: 400,
    p90: 440,
    by_day,
  });
  expect(course.ahead).toEqual([
    { day: at('2026-12-04'), low: 395, likely: 420, high: 430 },
    { day: at('2026-12-05'), low: 470, likely: 520, high: 540 },
    { day: at('2026-12-06'), low: 545, likely: 620, high: 650 },
  ]);
  expect(withForecast(flightCourse(FLIGHT, days(5), 10, at('2026-12-11')), { p10: 1, p50: 1, p90: 1, by_day }).ahead).toBeUndefined();
});
