import { hourlyTrafficOf, type HourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';
import { poisson, type Chance } from '../chance.ts';

/** Minutes of the day, half-open. */
export interface Period {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** A news site's day by UTC hour: quiet before dawn, a rise at breakfast, its peak in the evening. Relative sizes. */
const DAILY = [18, 11, 8, 6, 6, 9, 18, 34, 48, 54, 57, 60, 66, 63, 58, 56, 57, 61, 68, 78, 86, 83, 62, 36];

const MINUTES_PER_HOUR = 60;

export const dailyCurve = (): HourlyTraffic => {
  const sum = DAILY.reduce((total, size) => total + size, 0);
  return hourlyTrafficOf(DAILY.map((size) => size / sum));
};

export const flatCurve = (): HourlyTraffic => hourlyTrafficOf(Array.from({ length: 24 }, () => 1 / 24));

export const isWithin = (minute: number, { fromMinute, toMinute }: Period): boolean => minute >= fromMinute && minute < toMinute;

export interface TrafficOptions {
  /** Requests that the day has without the surge. */
  readonly requests: number;
  readonly curve: HourlyTraffic;
  /** The most by which an hour differs from the curve, as a part of it. */
  readonly unrest: number;
  readonly surge: Period;
  readonly surgeFactor: number;
  readonly chance: Chance;
}

/** Returns the number of requests in a step that begins at `minute` of the day, which may be a fraction. */
export const createTraffic = ({ requests, curve, unrest, surge, surgeFactor, chance }: TrafficOptions) => {
  const ofHour = curve.shareOfHour.map((share) => share * (1 + unrest * (2 * chance() - 1)));
  return (minute: number, stepMinutes: number): number => {
    const share = ofHour[Math.floor(minute / MINUTES_PER_HOUR)]! / MINUTES_PER_HOUR;
    return poisson(chance, requests * share * stepMinutes * (isWithin(minute, surge) ? surgeFactor : 1));
  };
};
