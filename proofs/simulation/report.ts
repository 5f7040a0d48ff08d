import type { HourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';
import { PACINGS, type Pacing } from '../../src/catalog/model/choices.ts';
import type { PidGains } from '../../src/config/settings.ts';
import { chart, type Band, type Series } from './chart.ts';
import { committedOf, shareAt, type Bound, type Figures } from '../../testkit/simulation/measure.ts';
import type { SimulatedDay } from '../../testkit/simulation/simulate-day.ts';

export interface ReportedDay {
  readonly title: string;
  readonly cap: number;
  readonly day: SimulatedDay;
  readonly figures: readonly Figures[];
  readonly bands: readonly Band[];
}

export interface ReportOptions {
  readonly days: readonly ReportedDay[];
  readonly bounds: readonly Bound[];
  readonly modes: readonly Pacing[];
  readonly curve: HourlyTraffic;
  readonly pid: PidGains;
  /** Every parameter with its value, as given on the command line. */
  readonly parameters: readonly (readonly [string, string])[];
}

const TARGET = '#6b6b76';
/** By the position of a mode in PACINGS. */
const COLOURS = ['#b4541a', '#1769aa', '#2d7d46', '#7a3e9d', '#8a6d00'];
const colourOf = (mode: Pacing): string => COLOURS[PACINGS.indexOf(mode) % COLOURS.length] ?? TARGET;
const SMOOTH_MINUTES = 10;

/** A self-contained page: charts of each day, the table, the promises, the parameters. */
export const reportHtml = (options: ReportOptions): string => {
  const { days, bounds, parameters } = options;
  const kept = bounds.filter((bound) => bound.kept).length;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pacing, simulated day</title><style>${STYLE}</style></head><body>
<header><h1>Pacing over a simulated day</h1>
<p class="${kept === bounds.length ? 'kept' : 'missed'}">${kept} of ${bounds.length} promises kept</p></header>
${days.map((day) => daySection(day, options)).join('\n')}
<section><h2>Promises</h2><div class="scroll"><table class="promises"><thead><tr><th>Promise</th><th>Expected</th><th>Observed</th><th></th></tr></thead><tbody>
${bounds.map(({ promise, expected, observed, kept: ok }) => row([promise, expected, observed, ok ? '✓' : '✗ missed'], ok ? '' : 'missed')).join('\n')}
</tbody></table></div></section>
<section><h2>Parameters</h2><dl>${parameters.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl></section>
</body></html>
`;
};

const daySection = (reported: ReportedDay, options: ReportOptions): string => `<section><h2>${reported.title}</h2>
${figuresTable(reported.figures)}
${deliveredChart(reported, options)}
${rateChart(reported, options)}
${options.modes.includes('PID') ? controllerChart(reported, options) : ''}
${trafficChart(reported)}
</section>`;

const figuresTable = (figures: readonly Figures[]): string => `<div class="scroll"><table><thead><tr><th>Pacing</th><th>Delivered</th>
<th>÷ cap</th><th>Above the cap</th><th>Worst hour</th><th>Fastest 10 min</th><th>On its line again</th></tr></thead><tbody>
${figures.map((each) => row(figureCells(each))).join('\n')}
</tbody></table></div>`;

/** One line item's formatted figures, in the order of the table's columns. */
export const figureCells = (figures: Figures): readonly string[] => [
  figures.mode,
  figures.delivered.toLocaleString('en'),
  `${(100 * figures.deliveredShare).toFixed(2)} %`,
  String(figures.overshoot),
  figures.worstHour === undefined ? '–' : `${(100 * figures.worstHour).toFixed(2)} %`,
  figures.fastestTenMinutes === undefined ? '–' : `${figures.fastestTenMinutes.toFixed(2)} × even`,
  figures.backAfterMinutes === undefined ? '–' : `after ${figures.backAfterMinutes} min`,
];

const row = (cells: readonly string[], name = ''): string =>
  `<tr${name && ` class="${name}"`}>${cells.map((cell, i) => (i === 0 ? `<th>${cell}</th>` : `<td>${cell}</td>`)).join('')}</tr>`;

const everyMinute = Array.from({ length: 1441 }, (_, minute) => minute);

const deliveredChart = ({ day, bands, cap }: ReportedDay, { modes, curve }: ReportOptions): string =>
  chart({
    title: 'Delivered against target',
    note: 'Impressions of the day and unexpired reservations.',
    bands,
    format: thousands,
    series: [
      ...modes.map((mode): Series => ({ name: mode, colour: colourOf(mode), values: committedOf(day, mode) })),
      { name: 'The day’s line', colour: TARGET, dashed: true, values: everyMinute.map((minute) => cap * shareAt(curve, minute)) },
    ],
  });

const rateChart = ({ day, bands, cap }: ReportedDay, { modes, curve }: ReportOptions): string =>
  chart({
    title: 'Rate',
    note: `Over ${SMOOTH_MINUTES} minutes, as a multiple of the even rate of those minutes. Values above 2 are cut off.`,
    bands,
    range: [0, 2],
    format: (value) => value.toFixed(1),
    series: modes.map((mode) => {
      const committed = committedOf(day, mode);
      const values = everyMinute.map((minute) => {
        const from = minute - SMOOTH_MINUTES;
        if (from < 0) return undefined;
        const even = cap * (shareAt(curve, minute) - shareAt(curve, from));
        return (committed[minute]! - committed[from]!) / even;
      });
      return { name: mode, colour: colourOf(mode), values };
    }),
  });

const controllerChart = ({ day, bands }: ReportedDay, { pid }: ReportOptions): string => {
  const states = day.minutes.map(({ accounts }) => accounts.get('PID')?.pace);
  const hours = (read: (state: NonNullable<(typeof states)[number]>) => number) => states.map((state) => state && read(state));
  return chart({
    title: 'Controller terms',
    note: 'As parts of the even rate, and the fill rate they lead to as a multiple of it.',
    bands,
    range: [-0.5, 1.5],
    format: (value) => value.toFixed(1),
    series: [
      { name: 'Fill rate', colour: colourOf('PID'), values: hours(({ factor }) => factor) },
      { name: `Proportional (${pid.kp} an hour behind)`, colour: '#8a3ffc', values: hours(({ hoursBehind }) => pid.kp * hoursBehind) },
      { name: `Integral (${pid.ki})`, colour: '#c2185b', values: hours(({ integral }) => pid.ki * integral) },
      { name: `Derivative (${pid.kd})`, colour: '#00838f', values: hours(({ slope }) => pid.kd * slope) },
    ],
  });
};

const trafficChart = ({ day, bands }: ReportedDay): string =>
  chart({
    title: 'Traffic',
    note: 'Ad requests a minute.',
    bands,
    format: thousands,
    series: [{ name: 'Requests', colour: '#3d3d46', values: day.minutes.slice(0, -1).map(({ requests }) => requests) }],
  });

const thousands = (value: number): string =>
  Math.abs(value) >= 1000 ? `${(value / 1000).toFixed(value % 1000 === 0 ? 0 : 1)}k` : String(Math.round(value));

const STYLE = `
:root{color-scheme:light;font:16px/1.5 system-ui,sans-serif;color:#1d1d22;background:#f6f6f4}
body{max-width:1120px;margin:0 auto;padding:24px 16px 64px}
h1{font-size:1.6rem;line-height:1.2;margin:0}h2{font-size:1.2rem;margin:40px 0 12px}
header{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:baseline;justify-content:space-between}
header p{margin:0;font-weight:600}.kept{color:#22683a}.missed,.missed th{color:#b3261e}
figure{margin:16px 0;padding:16px;background:#fff;border:1px solid #e2e2dc;border-radius:8px}
figcaption span{display:block;color:#5c5c66;font-size:.875rem}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;margin:8px 0 12px;padding:0;font-size:.875rem}
.legend i{display:inline-block;width:22px;vertical-align:middle;margin-right:6px}
.plot{display:flex;height:260px;padding-bottom:28px}.y{position:relative;width:44px;flex:none}
.y span{position:absolute;right:8px;transform:translateY(-50%);font-size:.75rem;color:#5c5c66;font-variant-numeric:tabular-nums}
.area{position:relative;flex:1;min-width:0}svg{display:block;width:100%;height:100%;overflow:visible}
path{fill:none;stroke-width:2;stroke-linejoin:round}.grid{stroke:#e6e6e0}.zero{stroke:#a9a9a2}
line{vector-effect:non-scaling-stroke}.band{fill:#ebe4d2}
.band-name{position:absolute;top:4px;transform:translateX(-50%);font-size:.75rem;color:#6d5c2b}
.x span{position:absolute;top:calc(100% + 4px);transform:translateX(-50%);font-size:.75rem;color:#5c5c66}
.scroll{overflow-x:auto;background:#fff;border:1px solid #e2e2dc;border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:8px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid #ececE6}
th:first-child{text-align:left;font-weight:600}thead th{color:#5c5c66;font-weight:500}tbody tr:last-child>*{border-bottom:0}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:2px 24px;margin:0}
dl div{display:flex;justify-content:space-between;border-bottom:1px solid #e2e2dc;padding:4px 0;font-size:.9rem}dt{color:#5c5c66}dd{margin:0}
@media(max-width:600px){.plot{height:200px}table{font-size:.8125rem}th,td{padding:6px 8px}.promises tbody th{white-space:normal;min-width:9rem}.band-name{font-size:.6875rem}}
`;
