import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../base/utc-day.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MS_PER_MINUTE, h: MS_PER_HOUR, d: MS_PER_DAY };
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy;

/**
 * Reads `30m`, `1h30m`, `45s`, `500ms`; a number alone is in seconds.
 * @returns whole milliseconds, or undefined when the text is not a duration
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * 1000);
  const parts = [...trimmed.matchAll(PART)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== trimmed) return undefined;
  return Math.round(parts.reduce((sumMs, [, count, unit = '']) => sumMs + Number(count) * (UNIT_MS[unit] ?? 0), 0));
}
