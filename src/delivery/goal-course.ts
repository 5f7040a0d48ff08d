import { daySpan, UTC_DAYS, type DaySpan } from '../base/local-day.ts';
import { MS_PER_DAY, MS_PER_HOUR } from '../base/utc-day.ts';
import type { Flight } from '../catalog/model/entities.ts';
import type { Goals } from '../catalog/model/goals.ts';
import type { Course, GoalCourse } from './delivery.ts';

export interface GoalQuestion {
  readonly of: GoalCourse['of'];
  readonly goal: number;
  /** Counts of the flight, of today and of the day before. */
  readonly delivered: number;
  readonly today: number;
  readonly yesterday: number;
  readonly flight: Flight;
  /** As in Goals. */
  readonly frontload: number;
  /** The shares of the day's traffic by hours from its beginning. */
  readonly curve: readonly number[];
  readonly atMs: number;
  /** The publisher's day. Default: that of UTC. */
  readonly day?: DaySpan;
}

/** Of one of the goals of a line item: counts of its flight, of today and of the day before. */
interface Counted {
  readonly delivered: ByGoal;
  readonly today: ByGoal;
  readonly yesterday: ByGoal;
}
type ByGoal = Readonly<Record<GoalCourse['of'], number>>;

/** The progress of a line item towards each of its goals. */
export const goalCourses = (
  { impressions, clicks, frontload }: Goals,
  [own, around]: readonly [lineItem: Flight, campaign: Flight],
  { delivered, today, yesterday }: Counted,
  moment: Pick<GoalQuestion, 'curve' | 'atMs' | 'day'>,
): readonly GoalCourse[] => {
  const flight = { startMs: Math.max(own.startMs, around.startMs), endMs: Math.min(own.endMs, around.endMs) };
  return Object.entries({ impressions, clicks }).flatMap(([name, goal]) => {
    const of = name as GoalCourse['of'];
    const counts = { delivered: delivered[of], today: today[of], yesterday: yesterday[of] };
    return goal === null ? [] : [goalCourse({ of, goal, ...counts, flight, frontload, ...moment })];
  });
};

/** Up to this share of what is due may be missing, and of the goal: ads on their way, and chance. */
const ON_COURSE_OF_DUE = 0.02;
const ON_COURSE_OF_GOAL = 0.005;
/** A part of an event cannot be delivered. */
const ON_COURSE_EVENTS = 1;
/** Today alone says how it goes on when this share of its traffic has passed; before, yesterday counts too. */
const MIN_PART_OF_DAY = 0.25;
/** Fewer due events are mostly chance. */
const MIN_DUE = 20;

/**
 * The progress of a line item towards its goal: the only function that judges it, for the API and
 * the page. Pure.
 */
export const goalCourse = (question: GoalQuestion): GoalCourse => {
  const { of, goal, delivered, flight, frontload, atMs } = question;
  const due = goal * planned(elapsed(question, atMs), frontload);
  const missing = due - delivered;
  const course: Course =
    atMs >= flight.endMs
      ? 'ended'
      : delivered >= goal
        ? 'reached'
        : atMs < flight.startMs
          ? 'scheduled'
          : missing > Math.max(ON_COURSE_OF_DUE * due, ON_COURSE_OF_GOAL * goal, ON_COURSE_EVENTS)
            ? 'behind'
            : 'on course';
  const known = {
    ...{ of, goal, delivered, due: Math.round(due), course },
    behind: course === 'behind' ? missing / due : 0,
    expected_end: course === 'ended' || course === 'reached' ? delivered : course === 'scheduled' ? null : expectedEnd(question, due),
  };
  return { ...known, words: wordsOf(known) };
};

/** The share of the goal that is due at a share of the flight: its rate falls from 1 + frontload to 1 - frontload. */
const planned = (share: number, frontload: number): number => share + frontload * share * (1 - share);

/** The share of the flight that has passed, with each day passing as its traffic does, as in pacing (ledger/lua/bucket.lua). */
const elapsed = (question: GoalQuestion, atMs: number): number => {
  const { startMs, endMs } = question.flight;
  if (atMs <= startMs) return 0;
  if (atMs >= endMs) return 1;
  const day = dayAt(question, atMs);
  const [fromMs, toMs] = [Math.max(day.startMs, startMs), Math.min(day.endMs, endMs)];
  const before = shareUntil(question.curve, day, fromMs);
  const ofDay =
    toMs < day.endMs ? (atMs - fromMs) / (toMs - fromMs) : (shareUntil(question.curve, day, atMs) - before) / Math.max(1 - before, 1e-6);
  return (fromMs - startMs + ofDay * (toMs - fromMs)) / (endMs - startMs);
};

/** The day of the question, or for an earlier moment the 24 hours before it. */
const dayAt = ({ day, atMs }: GoalQuestion, ms: number): DaySpan => {
  const today = day ?? daySpan(UTC_DAYS, atMs);
  return ms >= today.startMs ? today : { startMs: today.startMs - MS_PER_DAY, endMs: today.startMs };
};

/** The share of a day's traffic before a moment. */
const shareUntil = (curve: readonly number[], { startMs }: DaySpan, atMs: number): number => {
  const hours = (atMs - startMs) / MS_PER_HOUR;
  return curve.reduce((sum, share, hour) => sum + share * Math.min(1, Math.max(0, hours - hour)), 0);
};

/**
 * If the rest of the flight goes as the last day did. What pacing asks for after an outage is in that
 * day's delivery, and an outage before it has no effect.
 */
const expectedEnd = (question: GoalQuestion, due: number): number | null => {
  const { goal, delivered, today, yesterday, flight, frontload, atMs } = question;
  const day = dayAt(question, atMs);
  const midnightMs = day.startMs;
  const now = planned(elapsed(question, atMs), frontload);
  const since = (fromMs: number, count: number) => ({ count, share: now - planned(elapsed(question, fromMs), frontload) });
  const hasSeenToday = midnightMs >= flight.startMs && shareUntil(question.curve, day, atMs) >= MIN_PART_OF_DAY;
  const lately = hasSeenToday ? since(midnightMs, today) : since(midnightMs - MS_PER_DAY, today + yesterday);
  const { count, share } = goal * lately.share >= MIN_DUE ? lately : { count: delivered, share: now };
  return due < MIN_DUE ? null : Math.round(Math.min(delivered + (count * (1 - now)) / share, goal));
};

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

const wordsOf = ({ of, goal, delivered, due, course, behind, expected_end: end }: Omit<GoalCourse, 'words'>): string => {
  const [all, some, dueNow] = [whole.format(goal), whole.format(delivered), whole.format(due)];
  const ending = end === null ? '' : ` It will end at about ${whole.format(end)} if it goes on like this.`;
  switch (course) {
    case 'scheduled':
      return `Its flight has not begun: ${some} of ${all} ${of}.`;
    case 'on course':
      return `On course: ${some} of ${all} ${of}, ${dueNow} due by now.${ending}`;
    case 'behind':
      return `Behind by ${percent.format(behind)}: ${some} of ${all} ${of}, ${dueNow} due by now.${ending}`;
    case 'reached':
      return `Reached: ${some} of ${all} ${of}.`;
    case 'ended':
      return `Ended at ${some} of ${all} ${of} (${percent.format(delivered / goal)}).`;
  }
};
