import { parseArgs } from 'node:util';
import { PACINGS, type Pacing } from '../../src/catalog/model/choices.ts';
import type { HourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';
import type { DayOptions } from '../../testkit/simulation/simulate-day.ts';
import { dailyCurve, flatCurve, type Period } from '../../testkit/simulation/traffic.ts';
import { MINUTES_PER_DAY, MS_PER_MINUTE } from '../../src/base/utc-day.ts';

/** Ad requests of a day, and the daily impression cap of each line item. */
export interface Volume {
  readonly requests: number;
  readonly cap: number;
}

export interface Parameters extends Omit<DayOptions, 'redisUrl' | 'onMinute' | 'outage' | 'streams'> {
  readonly volumes: readonly Volume[];
  readonly modes: readonly Pacing[];
  readonly learned: HourlyTraffic;
  readonly outage: Period;
  /** Where the report goes; undefined: the temporary folder. */
  readonly report: string | undefined;
  /** Every parameter as given, for the report. */
  readonly shown: readonly (readonly [string, string])[];
}

const option = (fallback: string, meaning: string) => ({ type: 'string', default: fallback, meaning }) as const;

const OPTIONS = {
  seed: option('1', 'the same seed gives the same day'),
  requests: option('200000,30000', 'ad requests of a day without the surge; a list: one pair of days each'),
  cap: option('50000,10000', 'daily impression cap of each line item; a list as long'),
  modes: option('ASAP,Even,PID', 'the pacings to run'),
  curve: option('daily', 'traffic: daily or flat'),
  learned: option('daily', 'the curve given to pacing: daily or flat'),
  unrest: option('0.15', 'how far an hour may stray from the curve'),
  surge: option('19:00+20', 'when: hh:mm+minutes'),
  'surge-factor': option('5', 'times the traffic in the surge'),
  outage: option('13:00+120', 'of the second day: hh:mm+minutes'),
  'render-rate': option('0.8', 'part of the selections that renders'),
  'token-ttl': option('30', 'minutes'),
  kp: option(process.env['PID_KP'] ?? '0.3', 'proportional gain, an hour'),
  ki: option(process.env['PID_KI'] ?? '0.05', 'integral gain, an hour'),
  kd: option(process.env['PID_KD'] ?? '0.1', 'derivative gain, an hour'),
  skew: option('-2000,3000', 'ms by which each replica’s clock is ahead; one replica each'),
  step: option('10', 'seconds of the virtual clock; divides 60'),
} as const;

/**
 * Reads the command line.
 * @returns undefined after --help
 * @throws with a readable message when a value is invalid
 */
export const readParameters = (args: readonly string[]): Parameters | undefined => {
  const { values } = parseArgs({ args: [...args], options: { ...OPTIONS, report: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    for (const [name, { default: fallback, meaning }] of Object.entries(OPTIONS))
      console.log(`--${name.padEnd(13)} ${fallback.padEnd(14)} ${meaning}`);
    console.log(`--${'report'.padEnd(13)} ${''.padEnd(14)} where to write the report; by default the temporary folder`);
    return undefined;
  }
  const number = (name: keyof typeof OPTIONS, least: number, most: number): number => {
    const value = Number(values[name]);
    if (!(value >= least && value <= most)) throw new Error(`--${name} must be a number from ${least} to ${most}, not ${values[name]}`);
    return value;
  };
  const stepMs = number('step', 1, 60) * 1000;
  if (MS_PER_MINUTE % stepMs !== 0) throw new Error('--step must divide a minute');
  return {
    seed: number('seed', 0, 2 ** 32 - 1),
    volumes: readVolumes(values.requests, values.cap),
    modes: values.modes.split(',').map(readMode),
    curve: readCurve('curve', values.curve),
    learned: readCurve('learned', values.learned),
    unrest: number('unrest', 0, 1),
    surge: readPeriod('surge', values.surge),
    surgeFactor: number('surge-factor', 0, 100),
    outage: readPeriod('outage', values.outage),
    renderRate: number('render-rate', 0, 1),
    tokenTtlMs: number('token-ttl', 1, MINUTES_PER_DAY) * MS_PER_MINUTE,
    pid: { kp: number('kp', 0, 1000), ki: number('ki', 0, 1000), kd: number('kd', 0, 1000) },
    clockSkewsMs: values.skew.split(',').map((skew) => {
      if (!Number.isFinite(Number(skew))) throw new Error(`--skew must be numbers separated by commas, not ${values.skew}`);
      return Number(skew);
    }),
    stepMs,
    report: values.report,
    shown: Object.keys(OPTIONS).map((name) => [name, values[name as keyof typeof OPTIONS]]),
  };
};

const readVolumes = (requests: string, cap: string): readonly Volume[] => {
  const read = (name: string, text: string): readonly number[] =>
    text.split(',').map((part) => {
      const value = Number(part);
      if (!(value >= 1 && value <= 5_000_000)) throw new Error(`--${name} must be numbers from 1 to 5000000, not ${text}`);
      return value;
    });
  const caps = read('cap', cap);
  const volumes = read('requests', requests).map((ofDay, i) => ({ requests: ofDay, cap: caps[i] ?? 0 }));
  if (caps.length !== volumes.length) throw new Error('--requests and --cap must be lists of the same length');
  return volumes;
};

const readMode = (text: string): Pacing => {
  const mode = PACINGS.find((pacing) => pacing.toLowerCase() === text.trim().toLowerCase());
  if (!mode) throw new Error(`--modes must be of ${PACINGS.join(', ')}, not ${text}`);
  return mode;
};

const readCurve = (name: string, text: string): HourlyTraffic => {
  if (text === 'daily') return dailyCurve();
  if (text === 'flat') return flatCurve();
  throw new Error(`--${name} must be daily or flat, not ${text}`);
};

const readPeriod = (name: string, text: string): Period => {
  const found = /^(\d{1,2}):(\d{2})\+(\d+)$/.exec(text);
  if (!found) throw new Error(`--${name} must look like 13:00+120, not ${text}`);
  const fromMinute = Number(found[1]) * 60 + Number(found[2]);
  const toMinute = fromMinute + Number(found[3]);
  if (toMinute > MINUTES_PER_DAY) throw new Error(`--${name} must end on the same day`);
  return { fromMinute, toMinute };
};
