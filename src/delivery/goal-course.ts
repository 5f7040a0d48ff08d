import { MS_PER_DAY } from '../base/utc-day.ts';
import { commonFlight, type Flight } from '../catalog/model/entities.ts';
import type { Goals } from '../catalog/model/goals.ts';
import { dayAt, flightShare, shareUntil, type FlightMoment } from '../catalog/snapshot/flight-share.ts';
import type { Course, GoalCourse } from './delivery.ts';
import { endingWords } from './at-stake/ending-words.ts';
import { countWords, shareWords } from './number-words.ts';

export interface GoalQuestion extends FlightMoment {
  readonly of: GoalCourse['of'];
  readonly goal: number;
  /** Counts of the flight, of today and of the day before. */
  readonly delivered: number;
  readonly today: number;
  readonly yesterday: number;
  /** As in Goals. */
  readonly frontload: number;
}

/** Of one of the goals of a line item: counts of its flight, of today and of the day before. */
type Counted = Readonly<Record<'delivered' | 'today' | 'yesterday', Readonly<Record<GoalCourse['of'], number>>>>;

/** The progress of a line item towards each of its goals. */
export const goalCourses = (
  { impressions, clicks, frontload }: Goals,
  [own, around]: readonly [lineItem: Flight, campaign: Flight],
  { delivered, today, yesterday }: Counted,
  moment: Pick<GoalQuestion, 'curve' | 'atMs' | 'day' | 'hours'>,
): readonly GoalCourse[] => {
  const flight = commonFlight(own, around);
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
  const due = goal * planned(flightShare(question, atMs), frontload);
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

/**
 * If the rest of the flight goes as the last day did. What pacing asks for after an outage is in that
 * day's delivery, and an outage before it has no effect.
 */
const expectedEnd = (question: GoalQuestion, due: number): number | null => {
  const { goal, delivered, today, yesterday, flight, frontload, atMs } = question;
  const day = dayAt(question, atMs);
  const midnightMs = day.startMs;
  const now = planned(flightShare(question, atMs), frontload);
  const since = (fromMs: number, count: number) => ({ count, share: now - planned(flightShare(question, fromMs), frontload) });
  const hasSeenToday = midnightMs >= flight.startMs && shareUntil(question.curve, day, atMs) >= MIN_PART_OF_DAY;
  const lately = hasSeenToday ? since(midnightMs, today) : since(midnightMs - MS_PER_DAY, today + yesterday);
  const { count, share } = goal * lately.share >= MIN_DUE ? lately : { count: delivered, share: now };
  return due < MIN_DUE ? null : Math.round(Math.min(delivered + (count * (1 - now)) / share, goal));
};

const wordsOf = ({ of, goal, delivered, due, course, behind, expected_end: end }: Omit<GoalCourse, 'words'>): string => {
  const [all, some, dueNow] = [countWords(goal), countWords(delivered), countWords(due)];
  const ending = endingWords(end);
  switch (course) {
    case 'scheduled':
      return `Its flight has not begun: ${some} of ${all} ${of}.`;
    case 'on course':
      return `On course: ${some} of ${all} ${of}, ${dueNow} due by now.${ending}`;
    case 'behind':
      return `Behind by ${shareWords(behind)}: ${some} of ${all} ${of}, ${dueNow} due by now.${ending}`;
    case 'reached':
      return `Reached: ${some} of ${all} ${of}.`;
    case 'ended':
      return `Ended at ${some} of ${all} ${of} (${shareWords(delivered / goal)}).`;
  }
};
