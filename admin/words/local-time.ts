import { createZoneOffset } from '../../src/base/zone-offset.ts';

const offsetOf = createZoneOffset();

/** A moment on the clocks of a time zone, as an input of a day and a time has it: `2026-12-06T19:00`. @param zone its IANA name */
export const onClocksOf = (zone: string, moment: string): string => {
  const atMs = Date.parse(moment);
  return new Date(atMs + offsetOf(zone, atMs)).toISOString().slice(0, 16);
};

/**
 * The moment of a day and a time on the clocks of a time zone, ISO 8601 in UTC; '' when there is none. Of an hour that comes twice it is
 * one of the two; one that is left out counts on.
 */
export const momentOnClocks = (zone: string, typed: string): string => {
  const asUtcMs = Date.parse(`${typed}:00.000Z`);
  if (Number.isNaN(asUtcMs)) return '';
  const nearMs = asUtcMs - offsetOf(zone, asUtcMs);
  return new Date(asUtcMs - offsetOf(zone, nearMs)).toISOString();
};
