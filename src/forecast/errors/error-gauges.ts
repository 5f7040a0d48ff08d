import type { Knex } from 'knex';
import { MS_PER_HOUR } from '../../base/utc-day.ts';
import { AGES, type ErrorSubject } from './compare-forecasts.ts';
import { readErrorsByAge, type ForecastError } from './forecast-errors.ts';

/** The ages of forecasts as labels of metrics. */
export const AGE_LABELS: readonly string[] = AGES.map(String);

/** Forecasts are compared once a night. */
const KEPT_MS = MS_PER_HOUR;

/**
 * How good forecasts were, by their age, for metrics: read once an hour however often they are scraped. NaN: none was compared.
 */
export const createErrorGauges = (knex: Knex, now: () => number = Date.now) => {
  let readAtMs = -Infinity;
  let kept: Promise<readonly ForecastError[]> | undefined;
  const read = (): Promise<readonly ForecastError[]> => {
    if (kept && now() - readAtMs < KEPT_MS) return kept;
    readAtMs = now();
    const reading = readErrorsByAge(knex);
    kept = reading;
    // A failure is not kept.
    reading.catch(() => kept === reading && (kept = undefined));
    return reading;
  };
  return (subject: ErrorSubject, measure: 'meanError' | 'held') => async (): Promise<Readonly<Record<string, number>>> => {
    const found = (await read()).filter((one) => one.subject === subject);
    return Object.fromEntries(AGES.map((age) => [String(age), found.find((one) => one.age === age)?.[measure] ?? NaN]));
  };
};
