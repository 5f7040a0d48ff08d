import { MS_PER_HOUR } from '../src/base/utc-day.ts';

/** A time zone in which it is about noon: what is counted by day does not begin anew while a test or a proof runs. */
export const zoneAtNoon = (nowMs = Date.now()): string => {
  const offset = 12 - (Math.floor(nowMs / MS_PER_HOUR) % 24);
  // The names of these zones have the sign of POSIX: Etc/GMT-2 is two hours ahead of UTC.
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
};
