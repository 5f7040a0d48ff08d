import { html, nothing, type TemplateResult } from 'lit-html';
import { dateOfDay, dayOf } from '../../../src/base/utc-day.ts';
import type { AuditRow } from '../../../src/bookings/audit-api.ts';
import type { Comment } from '../../../src/bookings/comment-store.ts';
import type { Page } from '../../page.ts';
import { figureList } from '../../parts/figure-list.ts';
import { card } from '../../parts/parts.ts';
import { createReading } from '../../parts/reading.ts';
import { date, daysAhead } from '../../words/dates.ts';
import { count, money, percent } from '../../words/formats.ts';
import { counted } from '../../words/kinds.ts';
import { rich, t } from '../../words/texts.ts';
import { courseChart, hourlyChart } from './course-chart.ts';
import { courseDays, markList } from './course-details.ts';
import { courseMarks } from './course-marks.ts';
import { withForecast, type ForecastDays } from './with-forecast.ts';
import { readFlightBefore, type FlightBefore } from './flight-before.ts';
import { hourlyCourse, MAX_HOURLY_COURSE_DAYS, readHours, type CourseHour } from './hourly-course.ts';
import { flightCourse, type CourseDay, type Flight, type FlightCourse } from './flight-course.ts';

/** What a course is measured by. */
export interface Booked {
  readonly flight: Flight;
  /** Impressions over the flight; null: none are agreed. */
  readonly goal: number | null;
  /** What the flight is agreed to cost; null: it is open. */
  readonly cost: number | null;
  /** Of the cost and the revenue. */
  readonly currency: string;
}

interface Read {
  readonly days: readonly (CourseDay & { readonly revenue: number })[];
  readonly clicks: number;
  readonly revenue: number;
  readonly changes: readonly AuditRow[];
  readonly comments: readonly Comment[];
  /** Of a short flight whose hours are known; undefined: it is shown by day. */
  readonly hours: readonly CourseHour[] | undefined;
  /** undefined: there is none. */
  readonly before: FlightBefore | undefined;
}

/** A report has at most so many days. */
const MAX_DAYS = 366;
/** That a course of years shows, also when its first impression was today. */
const LEAST_DAYS = 28;
const MAX_MARKS = 100;

export interface CourseForecast {
  readonly words: TemplateResult | typeof nothing;
  /** In place of what the last days let expect; undefined: nothing is known. */
  readonly delivery: ForecastDays | undefined;
}

/**
 * The course of a flight from its first day to its last: what was delivered, what was agreed, and how it is likely to end.
 *
 * @param of what the report filters by, and what the history calls it
 */
export const createCourseCard = (page: Page, of: 'line_item' | 'campaign', id: number, flight: Flight | undefined) => {
  const { api, rights } = page;
  const today = dayOf(Date.now());
  const span = flight && spanOf(flight, today);
  const may = rights.may('GET', '/reports') && span !== undefined;
  let hasDelivered = false;
  const reading = createReading<Read>(
    page,
    async () => {
      const { from, to } = span ?? { from: '', to: '' };
      const asked = { from, to, group_by: ['day'], metrics: ['impressions', 'clicks', 'revenue'], limit: MAX_DAYS };
      const commentsPath = `/${of}s/{id}/comments` as const;
      const [report, history, comments] = await Promise.all([
        api.get('/reports', { ...asked, [`filter[${of}]`]: id }),
        rights.may('GET', '/audit') ? api.get('/audit', { entity: of, entity_id: String(id), from, limit: MAX_MARKS }) : undefined,
        rights.may('GET', commentsPath) ? api.get(commentsPath, { id, limit: MAX_MARKS }) : undefined,
      ]);
      if (!report.ok) return report;
      // A person has one report at a time.
      const hours = flight && isShort(flight) ? await readHours(page, of, id, { from, to }) : undefined;
      const before = await readFlightBefore(page, of, id);
      const { rows, totals } = report.value;
      const number = (value: unknown): number => Number(value ?? 0);
      const days = rows.map((row) => ({
        day: String(row['day']),
        impressions: number(row['impressions']),
        revenue: number(row['revenue']),
      }));
      hasDelivered = days.some(({ impressions }) => impressions > 0);
      return {
        ok: true,
        value: {
          ...{ days, clicks: number(totals['clicks']), revenue: number(totals['revenue']), hours, before },
          ...{ changes: history?.ok ? history.value : [], comments: comments?.ok ? comments.value : [] },
        },
      };
    },
    { may },
  );
  return {
    /** Reads it again: notes have changed. */
    load: reading.load,
    /** Whether anything was delivered, as far as it is read. */
    hasDelivered: () => hasDelivered,
    /** Whether it says how the flight is likely to end. */
    saysEnd: () => may,
    /** @param forecast of what is to come, in words and by day */
    render: (booked: Booked, forecast: CourseForecast = { words: nothing, delivery: undefined }) => {
      const course = flightCourse(booked.flight, [], booked.goal, today);
      if (course.state === 'future') return card(t`The flight`, html`${future(booked, course)}${forecast.words}`);
      if (!may) return nothing;
      return card(
        t`The flight`,
        reading.render((read) => courseOf(booked, read, today, forecast)),
      );
    },
  };
};

const lengthOf = ({ start_date: start, end_date: end }: Flight): number =>
  dayOf(Date.parse(end.slice(0, 10))) - dayOf(Date.parse(start.slice(0, 10))) + 1;
const isShort = (flight: Flight): boolean => lengthOf(flight) <= MAX_HOURLY_COURSE_DAYS;

/** The days of a flight that are over or run; undefined: it has not begun. */
const spanOf = (
  { start_date: start, end_date: end }: Flight,
  today: number,
): { readonly from: string; readonly to: string } | undefined => {
  const [first, last] = [dayOf(Date.parse(start.slice(0, 10))), Math.min(today, dayOf(Date.parse(end.slice(0, 10))))];
  return first > today ? undefined : { from: dateOfDay(Math.max(first, last - MAX_DAYS + 1)), to: dateOfDay(last) };
};

const future = ({ goal, cost, currency }: Booked, { first, last, today }: FlightCourse): TemplateResult => {
  const days = last - first + 1;
  return html`<p>
    ${t`It begins on ${date(dateOfDay(first))}, ${daysAhead(first - today)}, and runs for ${counted(days, 'day')}.`}
    ${goal === null ? nothing : t`Booked: ${count(goal)} impressions, about ${count(Math.ceil(goal / days))} a day.`}
    ${cost === null ? nothing : t`It is agreed to cost ${money(cost, currency)}.`}
  </p>`;
};

const courseOf = (
  { flight, goal, cost, currency }: Booked,
  { days, clicks, revenue, changes, comments, hours, before }: Read,
  today: number,
  { words, delivery }: CourseForecast,
): TemplateResult => {
  const marks = courseMarks(changes, comments, currency);
  const whole = withForecast(flightCourse(flight, days, goal, today), delivery);
  const { state, total, planned, first } = whole;
  const due = planned?.[Math.min(today, whole.last) - first];
  const figures: readonly (readonly [string, string])[] = [
    [t`Impressions`, goal === null ? count(total) : t`${count(total)} of ${count(goal)}`],
    ...(goal === null ? [] : [[t`Of the goal`, percent(total / goal)] as const]),
    ...(state === 'running' && due !== undefined ? [[t`Due by tonight`, count(Math.round(due))] as const] : []),
    ...beforeFigure(whole, before),
    [t`Clicks`, count(clicks)],
    [t`Click rate`, total > 0 ? percent(clicks / total) : '–'],
    [t`Revenue`, cost === null ? money(revenue, currency) : t`${money(revenue, currency)} of ${money(cost, currency)}`],
  ];
  return html`
    ${figureList(figures, 'course')}
    ${
      whole.ahead
        ? words
        : html`<p class="course-end">${endWords(whole, goal)}</p>
            ${words}`
    }
    ${total > 0 || state === 'running' ? html`${legend(whole, goal, hours === undefined, before)}<ad-chart .chart=${hours ? hourlyChart(whole, hourlyCourse(whole, hours, goal, flight.schedule), goal, marks) : courseChart(within(whole, MAX_DAYS), goal, marks, whole.delivered.length > MAX_DAYS ? undefined : before)}></ad-chart>` : nothing}
    ${courseDays(days, currency)} ${markList(marks)}
  `;
};

/** A course of years shows its last days up to now, from the day before its first impression on: the rest of it would be a line. */
const within = (course: FlightCourse, most: number): FlightCourse => {
  if (course.delivered.length <= most) return course;
  const end = Math.min(course.last, Math.max(course.today, course.first + most - 1));
  const begun = course.first + course.delivered.findIndex((sum) => (sum ?? 0) > 0);
  const from = Math.max(course.first, end - most + 1, Math.min(begun - 1, end - LEAST_DAYS + 1));
  const [skip, to] = [from - course.first, end - course.first + 1];
  const planned = course.planned?.slice(skip, to);
  return {
    ...course,
    first: from,
    last: end,
    delivered: course.delivered.slice(skip, to),
    planned,
    projection: undefined,
    ahead: undefined,
  };
};

/** How much of the flight before was delivered by the same day of it, and how this one compares. */
const beforeFigure = (
  { first, last, today, total }: FlightCourse,
  before: FlightBefore | undefined,
): readonly (readonly [string, string])[] => {
  const then = before?.sums[Math.min(today, last) - first] ?? before?.sums.at(-1) ?? 0;
  if (then === 0) return [];
  const more = total / then - 1;
  return [
    [t`Flight before, by this day`, t`${count(then)}, ${more < 0 ? '−' : '+'}${percent(Math.round(Math.abs(more) * 100) / 100)} now`],
  ];
};

const legend = (
  { projection, ahead }: FlightCourse,
  goal: number | null,
  isByDay: boolean,
  before: FlightBefore | undefined,
): TemplateResult =>
  html`<p class="legend">
    <span class="key line">${t`impressions, summed`}</span>
    ${goal === null ? nothing : html`<span class="key dashed">${t`even course to the goal`}</span>`}
    ${!isByDay ? nothing : ahead ? html`<span class="key dotted">${t`forecast, with its range`}</span>` : projection === undefined ? nothing : html`<span class="key dotted">${t`as the last days went`}</span>`}
    ${isByDay && before ? html`<span class="key thin">${rich`the flight before, ${html`<a href=${before.hash}>${before.name}</a>`}, from ${date(before.from)}`}</span>` : nothing}
  </p>`;

const endWords = ({ state, total, first, last, today, projection }: FlightCourse, goal: number | null): string => {
  const end = date(dateOfDay(last));
  if (state === 'finished')
    return goal === null
      ? t`It ended on ${end}.`
      : total >= goal
        ? t`It ended on ${end} and reached its goal.`
        : t`It ended on ${end}, ${count(goal - total)} impressions short of its goal.`;
  if (projection === undefined && first < today) return t`It runs until ${end}.`;
  if (projection === undefined) return t`It runs until ${end}. After its first full day this says how it is likely to end.`;
  const { low, likely, high } = projection;
  const range = low === high ? count(likely) : t`${count(likely)}, between ${count(low)} and ${count(high)}`;
  if (goal !== null && low >= goal) return t`As the last days went, it reaches its goal before ${end}.`;
  return t`As the last days went, it ends on ${end} with ${range}.`;
};
