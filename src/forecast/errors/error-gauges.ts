import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { MS_PER_HOUR } from '../../base/utc-day.ts';
import type { ForecastErrorWire } from '../forecast-api.ts';
import { AGES, type ErrorSubject } from './compare-forecasts.ts';
import { readErrorsByAge } from './forecast-errors.ts';

/** The ages of forecasts as labels of metrics. */
export const AGE_LABELS: readonly string[] = AGES.map(String);

/** Forecasts are compared once a night. */
const KEPT_MS = MS_PER_HOUR;

/**
 * How good forecasts were, by their age, for metrics: read once an hour however often they are scraped. NaN: none was compared.
 */
export const createErrorGauges = (knex: Knex) => {
  const kept = new LRUCache<'errors', readonly ForecastErrorWire[]>({ max: 1, ttl: KEPT_MS, fetchMethod: () => readErrorsByAge(knex) });
  return (subject: ErrorSubject, measure: 'mean_error' | 'held') => async (): Promise<Readonly<Record<string, number>>> => {
    const found = (await kept.forceFetch('errors')).filter((one) => one.subject === subject);
    return Object.fromEntries(AGES.map((age) => [String(age), found.find((one) => one.age === age)?.[measure] ?? NaN]));
  };
};
