import type uPlot from 'uplot';
import { dateOfDay } from '../../../src/base/utc-day.ts';
import type { ChartData } from '../../parts/charts/chart.ts';
import { date, dayAndMonth } from '../../words/dates.ts';
import { count } from '../../words/formats.ts';
import { t } from '../../words/texts.ts';
import { axes, frame } from '../delivery-charts.ts';
import type { CourseMark } from './course-marks.ts';
import type { FlightBefore } from './flight-before.ts';
import type { FlightCourse } from './flight-course.ts';
import type { HourlyCourse } from './hourly-course.ts';

const LABELS = 5;

/** The course of a flight: what was delivered, the even course to the goal, what is likely to come, and changes as lines. */
export const courseChart = (course: FlightCourse, goal: number | null, marks: readonly CourseMark[], before?: FlightBefore): ChartData => {
  const { first, last, today, delivered, planned, projection, ahead, total } = course;
  const xs = delivered.map((_, i) => first + i);
  /** From today's sum to that of the last day. */
  const toEnd = (end: number): (number | null)[] =>
    xs.map((day) => (day < today || last === today ? null : total + ((end - total) * (day - today)) / (last - today)));
  const none = xs.map(() => null);
  const forecast = new Map(ahead?.map((one) => [one.day, one]));
  const lines = ahead
    ? (['likely', 'low', 'high'] as const).map((of) => xs.map((day) => forecast.get(day)?.[of] ?? null))
    : projection
      ? [projection.likely, projection.low, projection.high].map(toEnd)
      : [none, none, none];
  const end = ahead?.at(-1) ?? projection;
  const step = Math.max(1, Math.ceil(xs.length / LABELS));
  const likely = end === undefined ? '' : t`By its end, ${count(end.likely)} are likely.`;
  const aim = goal === null ? '' : t`The goal is ${count(goal)}.`;
  return {
    label: `${t`Impressions from ${date(dateOfDay(first))} to ${date(dateOfDay(last))}: ${count(total)} so far.`} ${aim} ${likely}`.trim(),
    data: [
      xs,
      delivered as number[],
      planned ? [...planned] : none,
      ...lines,
      before ? beforeAt(xs.length, before) : none,
    ] as uPlot.AlignedData,
    options: (colours, width) => ({
      ...frame(width, [first - 0.3, Math.max(last, first + 1) + 0.3]),
      axes: axes(
        colours,
        (day) => dayAndMonth(dateOfDay(day)),
        xs.filter((_, i) => i % step === 0),
      ),
      series: [
        {},
        { stroke: colours.line, width: 2, fill: colours.fill, points: { show: xs.length === 1 } },
        { stroke: colours.target, width: 1.5, dash: [5, 5], points: { show: false } },
        { stroke: colours.line, width: 1.5, dash: [2, 4], points: { show: false } },
        { stroke: colours.grid, width: 1, points: { show: false } },
        { stroke: colours.grid, width: 1, points: { show: false } },
        { stroke: colours.text, width: 1, points: { show: false } },
      ],
      bands: [{ series: [5, 4], fill: translucent(colours.line) }],
      hooks: { draw: [(plot) => drawMarks(plot, marks, colours.target)] },
    }),
  };
};

/** The sums of the flight before on the days of this one, from its first on; its end is kept where it was shorter. */
const beforeAt = (days: number, { sums }: FlightBefore): (number | null)[] => Array.from({ length: days }, (_, i) => sums[i] ?? null);

/** The same of a short flight, by hour. */
export const hourlyChart = (
  { first, last, total }: FlightCourse,
  hours: HourlyCourse,
  goal: number | null,
  marks: readonly CourseMark[],
): ChartData => {
  const { times, delivered, planned } = hours;
  const days = Array.from({ length: last - first + 2 }, (_, i) => first + i);
  const aim = goal === null ? '' : t`The goal is ${count(goal)}.`;
  return {
    label: `${t`Impressions by hour from ${date(dateOfDay(first))} to ${date(dateOfDay(last))}: ${count(total)} so far.`} ${aim}`.trim(),
    data: [[...times], delivered as number[], planned ? [...planned] : times.map(() => null)] as uPlot.AlignedData,
    options: (colours, width) => ({
      ...frame(width, [first, last + 1]),
      axes: axes(colours, (time) => (Number.isInteger(time) ? dayAndMonth(dateOfDay(time)) : hourWords(time)), [
        ...days.flatMap((day) => (day > last ? [day] : [day, day + 0.5])),
      ]),
      series: [
        {},
        { stroke: colours.line, width: 2, fill: colours.fill, points: { show: false } },
        { stroke: colours.target, width: 1.5, dash: [5, 5], points: { show: false } },
      ],
      hooks: { draw: [(plot) => drawMarks(plot, marks, colours.target)] },
    }),
  };
};

const hourWords = (time: number): string => `${String(Math.round((time % 1) * 24)).padStart(2, '0')}:00`;

/** Over the grid, in both schemes. @param colour as the browser computes it: `rgb(69, 73, 209)` */
const translucent = (colour: string): string => colour.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.25)');

const FLAG_PX = 7;

const drawMarks = (plot: uPlot, marks: readonly CourseMark[], colour: string): void => {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.setLineDash([1, 3]);
  ctx.fillStyle = colour;
  for (const { day, isNote } of marks) {
    const x = Math.round(plot.valToPos(day, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (isNote !== true) continue;
    // A flag says that there is a note about the day.
    ctx.fillRect(x, bbox.top, FLAG_PX * devicePixelRatio, FLAG_PX * devicePixelRatio);
  }
  ctx.restore();
};
