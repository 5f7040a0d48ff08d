import { isObject } from '../../base/narrow.ts';

/**
 * A JSON object, or null. Read its fields by name and never copy it whole, so that an own
 * `__proto__` key has no effect.
 */
export const asObject = (value: unknown): Readonly<Record<string, unknown>> | null => (isObject(value) ? value : null);

/** An array; an absent one is empty; anything else is null. */
export const asList = (value: unknown): readonly unknown[] | null =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : null;

/** A string cut at `maxLength` UTF-16 units; '' for anything else. */
export const asText = (value: unknown, maxLength: number): string => (typeof value === 'string' ? value.slice(0, maxLength) : '');
