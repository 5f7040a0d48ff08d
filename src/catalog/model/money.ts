/**
 * Largest amount accepted, in units of the publisher's currency. Its micros, 10^15, are below 2^53: conversions, sums in Lua
 * (doubles) and holds (7 bytes) are exact, and what two campaigns spend may be added.
 */
export const MAX_AMOUNT = 1_000_000_000;
const MICROS_A_UNIT = 1_000_000;

/** A decimal amount to integer micros. */
export const microsFromAmount = (amount: number): number => Math.round(amount * MICROS_A_UNIT);

/** Integer micros to a decimal amount: the nearest double, which prints as the decimal it came from. */
export const amountFromMicros = (micros: number): number => micros / MICROS_A_UNIT;

/** In words of the service: `$8.50`, `€0.0125`. */
export const moneyWords = (amount: number, currency: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 6 }).format(amount);

/** Whether an amount is a whole multiple of 10^-places. */
export const hasAtMostDecimals = (amount: number, places: number): boolean => {
  const scale = 10 ** places;
  return Math.round(amount * scale) / scale === amount;
};
