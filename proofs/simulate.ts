/**
 * A day of pacing in seconds: a clock set by hand drives the service's Lua scripts in a real Redis, for ASAP, Even and PID together, through a
 * day with a surge and the same day with an outage. Prints the figures, writes a report with charts, and exits with 1 when a promise is not kept.
 *
 * npm run simulate -- --kp 0.5 --outage 20:00+60   (every parameter: npm run simulate -- --help)
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openPrivateStores } from '../testkit/private-stores.ts';
import { boundsOf, measure } from '../testkit/simulation/measure.ts';
import { readParameters, type Parameters } from './simulation/parameters.ts';
import { figureCells, reportHtml, type ReportedDay } from './simulation/report.ts';
import { simulateDay } from '../testkit/simulation/simulate-day.ts';
import type { Period } from '../testkit/simulation/traffic.ts';

const COLUMNS = ['Pacing', 'Delivered', '÷ cap', 'Above cap', 'Worst hour', 'Fastest 10 min', 'On its line again'];

const parameters = readParameters(process.argv.slice(2));
if (parameters) {
  const begunAt = performance.now();
  const progress = createProgress();
  // Each day has a separate Redis, so that they can run in parallel.
  const [calm, rough] = await Promise.all([
    runDay(parameters, 'A day with a surge', undefined, progress(0)),
    runDay(parameters, 'The same day with an outage', parameters.outage, progress(1)),
  ]);
  process.stderr.write('\n');
  const bounds = boundsOf(calm.figures, rough.figures);
  for (const { title, figures, day } of [calm, rough]) {
    console.log(`\n${title} (${day.requests.toLocaleString('en')} requests)`);
    print([COLUMNS, ...figures.map(figureCells)]);
  }
  console.log('\nPromises');
  print([
    ['Promise', 'Expected', 'Observed', ''],
    ...bounds.map(({ promise, expected, observed, kept }) => [promise, expected, observed, kept ? 'kept' : 'MISSED']),
  ]);
  const { modes, cap, learned, pid, shown, report } = parameters;
  const file = report ?? path.join(tmpdir(), `pacing-simulation-${parameters.seed}.html`);
  await writeFile(file, reportHtml({ days: [calm, rough], bounds, modes, cap, curve: learned, pid, parameters: shown }));
  console.log(`\nReport: ${file} (${((performance.now() - begunAt) / 1000).toFixed(1)} s)`);
  if (bounds.some(({ kept }) => !kept)) process.exitCode = 1;
}

async function runDay(
  options: Parameters,
  title: string,
  outage: Period | undefined,
  onMinute: (minute: number) => void,
): Promise<ReportedDay> {
  const stores = await openPrivateStores('simulation');
  try {
    const { url: redisUrl } = await stores.startRedis('', { durable: false });
    const day = await simulateDay({ ...options, redisUrl, outage, onMinute });
    const { modes, cap, learned: curve, surge } = options;
    const figures = modes.map((mode) => measure({ day, mode, cap, curve, outage }));
    const bands = [{ name: 'surge', ...surge }, ...(outage ? [{ name: 'outage', ...outage }] : [])];
    return { title, day, figures, bands };
  } finally {
    await stores.stop();
  }
}

/** One line that is rewritten on a terminal, and a line a quarter of the way elsewhere. */
function createProgress(): (day: number) => (minute: number) => void {
  const minutes = [0, 0];
  const clock = (minute: number): string => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  return (day) => (minute) => {
    minutes[day] = minute + 1;
    const line = `surge ${clock(minutes[0]!)}   surge and outage ${clock(minutes[1]!)}`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
    else if ((minute + 1) % 360 === 0) process.stderr.write(`${line}\n`);
  };
}

function print(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  for (const cells of rows) {
    console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('   '));
  }
}
