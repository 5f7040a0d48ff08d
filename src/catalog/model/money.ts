/**
 * Largest amount accepted, in USD. Its micros are far below 2^53, so both conversions below are
 * exact.
 */
export const MAX_USD = 1_000_000_000;
const MICROS_A_USD = 1_000_000;

/** Decimal USD to integer micros. */
export const microsFromUsd = (usd: number): number => Math.round(usd * MICROS_A_USD);

/** Integer micros to decimal USD: the nearest double, which prints as the decimal it came from. */
export const usdFromMicros = (micros: number): number => micros / MICROS_A_USD;

/** Whether an amount is a whole multiple of 10^-places. */
export const hasAtMostDecimals = (usd: number, places: number): boolean => {
  const scale = 10 ** places;
  return Math.round(usd * scale) / scale === usd;
};
