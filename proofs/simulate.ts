/**
 * Simulates days of pacing in seconds: a virtual clock drives the service's Lua scripts in a real
 * Redis, for ASAP, Even and PID together, through a day with a surge and the same day with an
 * outage, once with many requests and once with few. Prints the figures, writes a report with
 * charts, and exits with 1 when a promise is missed.
 *
 * npm run simulate -- --kp 0.5 --outage 20:00+60   (every parameter: npm run simulate -- --help)
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Pacing } from '../src/catalog/model/choices.ts';
import { NO_SALES_RULES } from '../src/catalog/model/entities.ts';
import { scheduleOf } from '../src/catalog/model/schedule.ts';
import { createScheduledCurves } from '../src/catalog/snapshot/scheduled-curve.ts';
import { UTC_DAYS } from '../src/base/local-day.ts';
import { MS_PER_MINUTE } from '../src/base/utc-day.ts';
import { halfHourAt, WEEK_DAYS, type DayPart } from '../src/targeting/week-hours.ts';
import { boundsOf, measure, type Bound } from '../testkit/simulation/measure.ts';
import { readParameters, type Parameters, type Volume } from './simulation/parameters.ts';
import { figureCells, reportHtml, type ReportedDay } from './simulation/report.ts';
import { withRedis } from './simulation/with-redis.ts';
import { simulateDay } from '../testkit/simulation/simulate-day.ts';
import { DAY_START_MS, simulatedCandidate } from '../testkit/simulation/simulated-booking.ts';
import type { Period } from '../testkit/simulation/traffic.ts';

const HOURS: readonly DayPart[] = [
  { days: WEEK_DAYS, from: '07:00', to: '10:30' },
  { days: WEEK_DAYS, from: '18:00', to: '22:30' },
];
const HOURS_SHOWN = HOURS.map(({ from, to }) => `${from} to ${to}`).join(' and ');

const COLUMNS = ['Pacing', 'Delivered', '÷ cap', 'Above cap', 'Worst hour', 'Fastest 10 min', 'On its line again'];

const parameters = readParameters(process.argv.slice(2));
if (parameters) {
  const begunAt = performance.now();
  const progress = createProgress();
  // Each day has a separate Redis, so that they can run in parallel.
  const days = await Promise.all(
    parameters.volumes.flatMap((volume) => {
      const name = `${volume.requests.toLocaleString('en')} requests`;
      return [
        runDay(parameters, volume, `${name}, surge`, undefined, progress()),
        runDay(parameters, volume, `${name}, surge and outage`, parameters.outage, progress()),
      ];
    }),
  );
  process.stderr.write('\n');
  const dayBounds = boundsOf(days);
  for (const { title, figures } of days) {
    console.log(`\n${title}`);
    print([COLUMNS, ...figures.map(figureCells)]);
  }
  const parted = await runDayParts(parameters);
  console.log(`\nOnly ${HOURS_SHOWN}, ${parted.map(({ mode, share }) => `${mode} ${(100 * share).toFixed(2)} %`).join(', ')} of the cap`);
  console.log('\nPromises');
  print([
    ['Promise', 'Expected', 'Observed', ''],
    ...[...dayBounds, ...partBounds(parted)].map(({ promise, expected, observed, kept }) => [
      promise,
      expected,
      observed,
      kept ? 'kept' : 'MISSED',
    ]),
  ]);
  const { modes, learned, pid, shown, report } = parameters;
  const file = report ?? path.join(tmpdir(), `pacing-simulation-${parameters.seed}.html`);
  await writeFile(file, reportHtml({ days, bounds: dayBounds, modes, curve: learned, pid, parameters: shown }));
  console.log(`\nReport: ${file} (${((performance.now() - begunAt) / 1000).toFixed(1)} s)`);
  if ([...dayBounds, ...partBounds(parted)].some(({ kept }) => !kept)) process.exitCode = 1;
}

async function runDay(
  options: Parameters,
  { requests, cap }: Volume,
  title: string,
  outage: Period | undefined,
  onMinute: (minute: number) => void,
): Promise<ReportedDay> {
  const { modes, learned: curve, surge } = options;
  const candidates = modes.map((pacing, i) => simulatedCandidate({ id: i + 1, name: pacing, pacing, dailyImpressionCap: cap }));
  const day = await withRedis((redisUrl) => simulateDay({ ...options, streams: [{ requests, candidates }], redisUrl, outage, onMinute }));
  const figures = modes.map((mode) => measure({ day, mode, cap, curve, outage }));
  const bands = [{ name: 'surge', ...surge }, ...(outage ? [{ name: 'outage', ...outage }] : [])];
  return { title, cap, day, figures, bands };
}

interface PartedDay {
  readonly mode: Pacing;
  readonly share: number;
}

/** A day with the most requests, in which Even and PID have eight hours for their caps. */
async function runDayParts(options: Parameters): Promise<readonly PartedDay[]> {
  const { requests, cap } = options.volumes.reduce((most, volume) => (volume.requests > most.requests ? volume : most));
  const schedule = scheduleOf(HOURS, 'publisher');
  const on = new Set(schedule?.halfHours);
  const modes = (['Even', 'PID'] as const).filter((mode) => options.modes.includes(mode));
  const candidates = modes.map((pacing, i) =>
    simulatedCandidate({ id: i + 1, name: pacing, pacing, dailyImpressionCap: cap, sales: { ...NO_SALES_RULES, schedule } }),
  );
  const isLive = (minute: number): boolean => on.has(halfHourAt(DAY_START_MS + Math.floor(minute) * MS_PER_MINUTE, 0));
  const traffic = { trafficOf: () => options.learned, daysOf: () => UTC_DAYS };
  const scheduled = createScheduledCurves({ zoneOffset: () => 0, zoneOf: () => 'UTC', ...traffic });
  const day = await withRedis((redisUrl) =>
    simulateDay({ ...options, streams: [{ requests, candidates, isLive }], redisUrl, outage: undefined, scheduled }),
  );
  return modes.map((mode) => ({ mode, share: (day.delivered.get(mode) ?? 0) / cap }));
}

function partBounds(parted: readonly PartedDay[]): readonly Bound[] {
  return parted.map(({ mode, share }) => ({
    promise: `${mode} delivers its cap in the hours of its schedule`,
    expected: '98 to 100 %',
    observed: `${(100 * share).toFixed(2)} %`,
    kept: share >= 0.98 && share <= 1,
  }));
}

/** One line that is rewritten on a terminal, and a line for every six hours of the slowest day elsewhere. */
function createProgress(): () => (minute: number) => void {
  const minutes: number[] = [];
  const clock = (minute: number): string => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  let shown = 0;
  return () => {
    const day = minutes.push(0) - 1;
    return (minute) => {
      minutes[day] = minute + 1;
      if (process.stderr.isTTY) process.stderr.write(`\r${minutes.map(clock).join('   ')}`);
      else if (Math.min(...minutes) >= shown + 360) process.stderr.write(`${clock((shown += 360))}\n`);
    };
  };
}

function print(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  for (const cells of rows) {
    console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('   '));
  }
}
