import type uPlot from 'uplot';
import type { ReportAnswer } from '../../src/reports/report-api.ts';
import type { ChartData } from '../parts/charts/chart.ts';
import { dayAndMonth } from '../words/dates.ts';
import { endsToday } from './ends-today.ts';
import { showValue } from './report-table.ts';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { t } from '../words/texts.ts';

const HEIGHT = 240;

/** One figure of a report by day, with days without rows as zero. The day that runs is dashed: its fall is not one of the figure. */
export const trendChart = (answer: ReportAnswer, metric: string): ChartData | undefined => {
  const { columns, rows, from, to, currency, totals_by_currency } = answer;
  const column = columns.find(({ name }) => name === metric);
  // Amounts of several currencies have no common line.
  if (!column || totals_by_currency.length > 0) return undefined;
  const byDay = new Map(rows.map((row) => [String(row['day']), Number(row[metric] ?? 0)]));
  const first = Date.parse(from);
  const days = Array.from({ length: Math.round((Date.parse(to) - first) / MS_PER_DAY) + 1 }, (_, i) =>
    new Date(first + i * MS_PER_DAY).toISOString().slice(0, 10),
  );
  const values = days.map((day) => byDay.get(day) ?? 0);
  const isCut = endsToday(answer) && days.length > 1;
  const show = (value: number): string => showValue(value, column, currency);
  const most = Math.max(...values);
  const common = { ticks: { show: false }, font: '12px system-ui' };
  return {
    label: t`${column.label} by day: ${show(values[0] ?? 0)} on ${from}, ${show(values.at(-1) ?? 0)} on ${to}, at most ${show(most)}.`,
    data: [
      days.map((_, i) => i),
      isCut ? [...values.slice(0, -1), null] : values,
      values.map((value, i) => (isCut && i >= days.length - 2 ? value : null)),
    ],
    options: ({ line, fill, text, grid }, width): uPlot.Options => ({
      ...{ width, height: HEIGHT, legend: { show: false }, cursor: { show: false } },
      scales: { x: { time: false, range: [-0.5, days.length - 0.5] }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [
        {
          ...common,
          stroke: text,
          grid: { show: false },
          splits: () => spread(days.length, width),
          values: (_, at) => at.map((i) => dayAndMonth(days[i] ?? '')),
          size: 28,
        },
        { ...common, stroke: text, grid: { stroke: grid, width: 1 }, values: (_, at) => at.map(show), size: 72 },
      ],
      series: [
        {},
        { stroke: line, width: 2, fill, points: { show: days.length === 1, size: 8 } },
        { stroke: line, width: 1.5, dash: [5, 5], points: { show: false } },
      ],
    }),
  };
};

/** Positions of about one label in 90 pixels. */
const spread = (length: number, width: number): number[] => {
  const step = Math.max(1, Math.ceil(length / Math.max(2, Math.floor(width / 90))));
  return Array.from({ length: Math.ceil(length / step) }, (_, i) => i * step);
};
