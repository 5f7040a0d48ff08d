import { MS_PER_HOUR } from '../src/base/utc-day.ts';

/** Time zones without summer time, with the hours that they are ahead of UTC. */
const ZONES = [
  ['Pacific/Honolulu', -10],
  ['America/Phoenix', -7],
  ['America/Bogota', -5],
  ['America/Sao_Paulo', -3],
  ['UTC', 0],
  ['Africa/Nairobi', 3],
  ['Asia/Karachi', 5],
  ['Asia/Bangkok', 7],
  ['Asia/Tokyo', 9],
  ['Pacific/Fiji', 12],
] as const;
const NOON = 12;

/** A time zone in which it is about noon: what is counted by day does not begin anew while a test or a proof runs. */
export const zoneAtNoon = (nowMs = Date.now()): string => {
  const hour = (nowMs / MS_PER_HOUR) % 24;
  const fromNoon = (offset: number): number => Math.abs(((hour + offset + 24) % 24) - NOON);
  return ZONES.toSorted(([, a], [, b]) => fromNoon(a) - fromNoon(b))[0]![0];
};
