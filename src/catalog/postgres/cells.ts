import { microsFromUsd, usdFromMicros } from '../model/money.ts';

/** A bigint, which Postgres sends as text. */
export const numberOf = (value: unknown): unknown => (value === null || value === undefined ? null : Number(value));

export const shownUsd = (micros: unknown): unknown => (micros === null || micros === undefined ? null : usdFromMicros(Number(micros)));

/**
 * A date that RFC 3339 cannot write (infinity, the year 12000) stays as it is, and the check
 * refuses it.
 */
export const shownDate = (value: unknown, show: (ms: number) => string): unknown =>
  value instanceof Date && Number.isFinite(value.getTime()) ? show(value.getTime()) : String(value);

export const storedDate = (ms: number | undefined): Date | undefined => (ms === undefined ? undefined : new Date(ms));

export const storedMicros = (usd: number | null): number | null => (usd === null ? null : microsFromUsd(usd));
