import type { HourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';
import type { Pacing } from '../../src/catalog/model/choices.ts';
import type { SimulatedDay } from './simulate-day.ts';
import type { Period } from './traffic.ts';
import { MINUTES_PER_DAY } from '../../src/base/utc-day.ts';

/** What one line item did in one simulated day. */
export interface Figures {
  readonly mode: Pacing;
  readonly delivered: number;
  readonly deliveredShare: number;
  /** The most that was ever committed or delivered above the cap. */
  readonly overshoot: number;
  /**
   * The hour that missed its target by most, as a part of the target, which counts as at least
   * MIN_TARGET impressions. Hours of an outage are left out, and for PID those until it is on the
   * line again.
   */
  readonly worstHour: number | undefined;
  /** The fastest ten minutes after the outage, as a multiple of what the curve gives them. */
  readonly fastestTenMinutes: number | undefined;
  /**
   * Minutes from the end of the outage until the line item was on the day's line again (within a
   * quarter of a percent of the cap); undefined: not that day.
   */
  readonly backAfterMinutes: number | undefined;
}

export interface MeasureOptions {
  readonly day: SimulatedDay;
  readonly mode: Pacing;
  readonly cap: number;
  /** The hourly traffic that pacing expected. */
  readonly curve: HourlyTraffic;
  readonly outage: Period | undefined;
}

const WINDOW = 10;
/**
 * An hour has whole impressions: 3 % of a smaller target would be less than three of them, which is
 * where the requests happen to fall.
 */
const MIN_TARGET = 100;
/** Part of the cap by which a line item may be behind and still count as on its line. */
const ON_LINE = 0.0025;

/** The share of the day's traffic before a minute. */
export const shareAt = ({ shareBefore, shareOfHour }: HourlyTraffic, minute: number): number => {
  const hour = Math.floor(minute / 60);
  return hour >= 24 ? 1 : shareBefore[hour]! + (shareOfHour[hour]! * (minute % 60)) / 60;
};

/** Impressions of the day and reservations of ads that are out, at the start of every minute. */
export const committedOf = (day: SimulatedDay, mode: Pacing): readonly number[] =>
  heldOf(day, mode).map((held, minute) => held - (day.minutes[minute]!.inStock.get(mode) ?? 0));

/** The same with what replicas hold for later requests. */
const heldOf = ({ minutes }: SimulatedDay, mode: Pacing): readonly number[] =>
  minutes.map(({ accounts }) => {
    const account = accounts.get(mode);
    return account ? account.today.impressions + account.heldToday : 0;
  });

export const measure = ({ day, mode, cap, curve, outage }: MeasureOptions): Figures => {
  const committed = committedOf(day, mode);
  const at = (minute: number): number => committed[minute]!;
  const delivered = day.delivered.get(mode) ?? 0;
  const backAt = outage && backOnLine(committed, cap, curve, outage);
  // Even spreads an outage over the rest of the day, so its target is correct immediately; PID needs time to return.
  const spoiled = outage && (mode === 'PID' ? { ...outage, toMinute: backAt ?? MINUTES_PER_DAY } : outage);
  return {
    mode,
    delivered,
    deliveredShare: delivered / cap,
    overshoot: Math.max(0, delivered - cap, ...heldOf(day, mode).map((count) => count - cap)),
    worstHour: mode === 'ASAP' ? undefined : worstHour(at, cap, curve, spoiled),
    fastestTenMinutes: outage && mode !== 'ASAP' ? fastest(at, cap, curve, outage) : undefined,
    backAfterMinutes: outage && backAt !== undefined ? backAt - outage.toMinute : undefined,
  };
};

/** Each hour's growth of what is committed against its target: its share of what was left of the cap when it began. */
const worstHour = (at: (minute: number) => number, cap: number, curve: HourlyTraffic, spoiled: Period | undefined): number => {
  let worst = 0;
  for (let from = 0; from < MINUTES_PER_DAY; from += 60) {
    if (spoiled && from + 60 > spoiled.fromMinute && from < spoiled.toMinute) continue;
    const share = shareAt(curve, from + 60) - shareAt(curve, from);
    const target = ((cap - at(from)) * share) / (1 - shareAt(curve, from));
    worst = Math.max(worst, Math.abs(at(from + 60) - at(from) - target) / Math.max(target, MIN_TARGET));
  }
  return worst;
};

const fastest = (at: (minute: number) => number, cap: number, curve: HourlyTraffic, { toMinute }: Period): number => {
  let most = 0;
  for (let from = toMinute; from + WINDOW <= MINUTES_PER_DAY; from++) {
    const even = cap * (shareAt(curve, from + WINDOW) - shareAt(curve, from));
    most = Math.max(most, (at(from + WINDOW) - at(from)) / even);
  }
  return most;
};

const backOnLine = (committed: readonly number[], cap: number, curve: HourlyTraffic, { toMinute }: Period): number | undefined => {
  for (let minute = toMinute; minute <= MINUTES_PER_DAY; minute++) {
    if (committed[minute]! >= cap * (shareAt(curve, minute) - ON_LINE)) return minute;
  }
  return undefined;
};

/** A promise, and whether a simulated day kept it. */
export interface Bound {
  readonly promise: string;
  readonly expected: string;
  readonly observed: string;
  readonly kept: boolean;
}

const percent = (part: number): string => `${(100 * part).toFixed(2)} %`;

/** What pacing promises, checked against the figures of each day. */
export const boundsOf = (days: readonly { readonly title: string; readonly figures: readonly Figures[] }[]): readonly Bound[] => {
  const bounds: Bound[] = [];
  const add = (promise: string, expected: string, observed: string, kept: boolean): void => {
    bounds.push({ promise, expected, observed, kept });
  };
  for (const { title: when, figures } of days) {
    for (const { mode, deliveredShare, overshoot, worstHour: worst, fastestTenMinutes } of figures) {
      add(`${mode}, ${when}: above the cap`, '0', String(overshoot), overshoot === 0);
      if (mode === 'ASAP') continue;
      add(`${mode}, ${when}: delivered ÷ cap`, '98–100 %', percent(deliveredShare), deliveredShare >= 0.98 && deliveredShare <= 1);
      if (worst !== undefined) add(`${mode}, ${when}: worst hour against its target`, '< 3 %', percent(worst), worst < 0.03);
      if (mode === 'PID' && fastestTenMinutes !== undefined) {
        const observed = `${fastestTenMinutes.toFixed(3)} ×`;
        add(`PID, ${when}: fastest ten minutes after the outage`, '≤ 1.5 × even', observed, fastestTenMinutes <= 1.5);
      }
    }
  }
  return bounds;
};
