import { scheduleOf } from '../../src/catalog/model/schedule.ts';
import { hoursTraffic } from '../../src/catalog/snapshot/hours-traffic.ts';
import { goalCourse, type GoalQuestion } from '../../src/delivery/goal-course.ts';
import { WEEK_DAYS, type DayPart } from '../../src/targeting/week-hours.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 2);
const FLAT = Array.from({ length: 24 }, () => 1 / 24);

const ask = (changes: Partial<GoalQuestion>) =>
  goalCourse({
    of: 'impressions',
    goal: 10_000,
    delivered: 0,
    today: 0,
    yesterday: 0,
    flight: { startMs: START, endMs: START + 10 * DAY },
    frontload: 0,
    curve: FLAT,
    atMs: START,
    ...changes,
  });

test('a line item that has what is due is on course, and will end at its goal', () => {
  expect(ask({ atMs: START + 2.5 * DAY, delivered: 2480, yesterday: 1000, today: 490 })).toEqual({
    ...{ of: 'impressions', goal: 10_000, delivered: 2480, due: 2500, course: 'on course', behind: 0 },
    // 980 a day for the 7.5 days that are left.
    expected_end: 9830,
    words: 'On course: 2,480 of 10,000 impressions, 2,500 due by now. At the rate of the last day, it would end at about 9,830.',
  });
  expect(ask({ atMs: START + 2.5 * DAY, delivered: 2500, yesterday: 1000, today: 500 }).expected_end).toBe(10_000);
});

test('one that lacks requests is behind, and will end where its rate leads', () => {
  const behind = ask({ atMs: START + 5.5 * DAY, delivered: 4400, yesterday: 800, today: 400 });
  expect(behind).toMatchObject({ course: 'behind', due: 5500, behind: 0.2 });
  // 800 a day for the 4.5 days that are left.
  expect(behind.expected_end).toBe(8000);
  expect(behind.words).toBe(
    'Behind by 20%: 4,400 of 10,000 impressions, 5,500 due by now. At the rate of the last day, it would end at about 8,000.',
  );
});

test('after an outage it is behind, and what pacing asks for since then brings it to its goal', () => {
  // Half of day 4 was lost; since then what is left is spread over the rest.
  const left = 10_000 - 3_500;
  const today = Math.round(left / 6 / 2);
  expect(ask({ atMs: START + 4.5 * DAY, delivered: 3500 + today, yesterday: 500, today })).toMatchObject({
    course: 'behind',
    expected_end: 10_000,
  });
});

test('traffic is time: before the readers of a day have come, little is due', () => {
  const evening = FLAT.map((_, hour) => (hour < 12 ? 0.01 : 0.88 / 12));
  expect(ask({ atMs: START + 0.5 * DAY, curve: evening, delivered: 120 })).toMatchObject({ due: 120, course: 'on course' });
  // A flight that begins at noon has the rest of the day for its first day.
  const flight = { startMs: START + 0.5 * DAY, endMs: START + 1.5 * DAY };
  expect(ask({ flight, atMs: START + 0.75 * DAY, delivered: 2500 })).toMatchObject({ due: 2500 });
  // The day on which it ends passes by the clock.
  expect(ask({ flight, atMs: START + 1.25 * DAY, curve: evening, delivered: 7500 })).toMatchObject({ due: 7500 });
});

test('front-loading makes more due in the first half', () => {
  expect(ask({ frontload: 0.3, atMs: START + 5 * DAY }).due).toBe(5750);
  expect(ask({ frontload: 0.3, atMs: START + 9 * DAY }).due).toBe(9270);
});

test('the ends: not begun, reached, ended, and too early to say', () => {
  expect(ask({ atMs: START - 1 })).toMatchObject({ course: 'scheduled', due: 0, expected_end: null });
  expect(ask({ atMs: START + DAY, delivered: 10_000 })).toMatchObject({ course: 'reached', expected_end: 10_000 });
  expect(ask({ atMs: START + 10 * DAY, delivered: 9_810 })).toMatchObject({
    course: 'ended',
    expected_end: 9_810,
    words: 'Ended at 9,810 of 10,000 impressions (98.1%).',
  });
  expect(ask({ atMs: START + 60_000 })).toMatchObject({ course: 'on course', expected_end: null });
  expect(ask({ of: 'clicks', goal: 10, atMs: START + 5 * DAY, delivered: 5, today: 0, yesterday: 1 })).toMatchObject({
    course: 'on course',
    expected_end: null,
  });
});

test('a line item that serves at some hours is late only by what is due in them', () => {
  const inHours = (days: DayPart['days'], offsetMs = 0) =>
    hoursTraffic(scheduleOf([{ days, from: '18:00', to: '22:00' }], 'publisher')!, offsetMs, undefined);
  const hours = inHours(WEEK_DAYS);
  expect(ask({ atMs: START + 0.5 * DAY, hours })).toMatchObject({ due: 0, course: 'on course' });
  expect(ask({ atMs: START + (20 / 24) * DAY, hours, delivered: 300 })).toMatchObject({ due: 500, course: 'behind' });
  expect(ask({ atMs: START + DAY, hours, delivered: 1000 })).toMatchObject({ due: 1000, course: 'on course' });
  // Evenings of New York are from 23:00 to 03:00 UTC: three hours of the first had not passed when the flight began.
  expect(ask({ atMs: START + (22 / 24) * DAY, hours: inHours(WEEK_DAYS, (-5 * DAY) / 24) })).toMatchObject({ due: 750 });
  // Ten days from a Monday have eight workdays, of which five have passed on the first Sunday.
  const workdays = inHours(WEEK_DAYS.slice(0, 5));
  expect(ask({ atMs: START + 6.5 * DAY, hours: workdays, delivered: 6_250 })).toMatchObject({ due: 6_250, course: 'on course' });
  // None of its hours is in the flight, as where clocks skip them: it passes as any other does.
  const flight = { startMs: START, endMs: START + 0.5 * DAY };
  expect(ask({ flight, atMs: START + 0.25 * DAY, hours })).toMatchObject({ due: 5_000 });
});
