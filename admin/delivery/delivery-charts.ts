import type uPlot from 'uplot';
import { MS_PER_HOUR } from '../../src/base/utc-day.ts';
import type { Delivery } from '../../src/delivery/delivery.ts';
import { dueAt, hoursOf } from '../words/day-goal.ts';
import { dayAndMonth } from '../words/dates.ts';
import { count } from '../words/formats.ts';
import type { ChartData, Colours } from '../parts/charts/chart.ts';
import { t } from '../words/texts.ts';

const HEIGHT = 220;

export const axes = ({ text, grid }: Colours, names: (value: number) => string, splits: number[]): uPlot.Axis[] => {
  const common = { stroke: text, ticks: { show: false }, font: '12px system-ui' };
  const ofCount = (value: number): string => (Number.isInteger(value) ? count(value) : '');
  return [
    { ...common, grid: { show: false }, splits: () => splits, values: (_, at) => at.map(names), size: 28 },
    { ...common, grid: { stroke: grid, width: 1 }, values: (_, at) => at.map(ofCount), size: 56 },
  ];
};

export const frame = (width: number, range: [number, number]): Omit<uPlot.Options, 'series'> => ({
  width,
  height: HEIGHT,
  scales: { x: { time: false, range }, y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] } },
  legend: { show: false },
  cursor: { show: false },
});

/** Today's impressions, cumulative by hour, beside the pacing target. */
export const todayChart = (delivery: Delivery): ChartData => {
  const { hourly, limits, pacing, time_zone, today } = delivery;
  // 23 or 25 when clocks change.
  const hours = pacing.curve.length;
  const hourNow = hoursOf(delivery);
  const times = [...new Set([...Array.from({ length: hours + 1 }, (_, hour) => hour), hourNow])].sort((a, b) => a - b);
  const byHour = new Map(hourly.map(({ hour, impressions }) => [hour, impressions]));
  const before = (hour: number): number => Array.from({ length: hour }, (_, i) => byHour.get(i) ?? 0).reduce((sum, each) => sum + each, 0);
  // The hours come from stored events, the current figure from counters that are up to 1 s ahead.
  const delivered = times.map((time) =>
    time < hourNow ? before(Math.floor(time)) : time === hourNow ? Math.max(today.impressions, before(hours)) : null,
  );
  const target = times.map((time) => dueAt(delivery, time));
  const cap = limits.daily_impression_cap;
  const aim = cap === null ? t`There is no daily cap.` : t`The cap is ${count(cap)} a day.`;
  return {
    label: t`Impressions today by hour, ${time_zone}: ${count(today.impressions)} so far. ${aim}`,
    data: [times, delivered, target],
    options: (colours, width) => ({
      ...frame(width, [0, hours]),
      axes: axes(colours, timeOfHour(delivery), [0, 6, 12, 18, hours]),
      series: [
        {},
        { stroke: colours.line, width: 2, fill: colours.fill, points: { show: false } },
        { stroke: colours.target, width: 1.5, dash: [5, 5], points: { show: false } },
      ],
    }),
  };
};

/** What clocks say after so many hours of the day, which is not their number after a change. */
const timeOfHour = ({ day_began_at, pacing, time_zone }: Delivery): ((hour: number) => string) => {
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: time_zone });
  return (hour) => (hour === pacing.curve.length ? '24:00' : clock.format(Date.parse(day_began_at) + hour * MS_PER_HOUR));
};

/** The last 14 days, one bar per day. */
export const daysChart = ({ last_days }: Delivery): ChartData => {
  const days = last_days.slice(-14);
  const total = days.reduce((sum, { impressions }) => sum + impressions, 0);
  return {
    label: t`Impressions of the last ${days.length} days: ${count(total)} in total.`,
    data: [days.map((_, i) => i), days.map(({ impressions }) => impressions)],
    options: (colours, width, plot) => ({
      ...frame(width, [-0.6, days.length - 0.4]),
      axes: axes(colours, (i) => dayAndMonth(days[i]?.day ?? ''), [0, 3, 6, 9, 12]),
      series: [
        {},
        {
          stroke: colours.line,
          fill: colours.line,
          width: 0,
          paths: plot.paths.bars!({ size: [0.62, 40], radius: 0.15 }),
          points: { show: false },
        },
      ],
    }),
  };
};
