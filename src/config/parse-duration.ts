import ms from 'ms';
import type { StringValue } from 'ms';

const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy;

/**
 * Reads `30m`, `1h30m`, `45s`, `500ms`; a bare number is seconds.
 * @returns whole milliseconds, or undefined when the text is none of these
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * 1000);
  const parts = trimmed.match(PART) ?? [];
  if (parts.length === 0 || parts.join('') !== trimmed) return undefined;
  return Math.round(parts.reduce((sum, part) => sum + ms(part as StringValue), 0));
}
