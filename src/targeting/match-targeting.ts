import { dimensionPair, keyValuePair } from './targeting-query.ts';
import type { TargetingQuery, TargetingRules } from './targeting-query.ts';

/** The first rule of a line item that a request does not meet. */
export interface TargetingRefusal {
  readonly rule: 'countries' | 'devices' | 'dimensions' | 'key_values';
  /** For the trace: what was asked for, shortened. */
  readonly detail: string;
}

/**
 * Whether a request meets every rule: undefined when it does, else the first rule that it misses. The plain twin of the targeting index,
 * which answers the same question for all line items at once; used to explain a refusal and to check the index against.
 */
export const matchTargeting = (rules: TargetingRules, query: TargetingQuery): TargetingRefusal | undefined => {
  const { countries, devices, dimensions, keyValues } = rules;
  if (countries.length > 0 && (query.country === null || !countries.includes(query.country))) {
    return { rule: 'countries', detail: `country is ${query.country ?? 'unknown'}, wanted ${listed(countries)}` };
  }
  if (devices.length > 0 && (query.device === null || !devices.includes(query.device))) {
    return { rule: 'devices', detail: `device is ${query.device ?? 'unknown'}, wanted ${listed(devices)}` };
  }
  const dimension = firstMissed(dimensions, query.pairs, dimensionPair);
  if (dimension !== undefined) return { rule: 'dimensions', detail: dimension };
  const keyValue = firstMissed(keyValues, query.pairs, keyValuePair);
  return keyValue === undefined ? undefined : { rule: 'key_values', detail: keyValue };
};

const firstMissed = (
  rules: ReadonlyMap<string, readonly string[]>,
  pairs: readonly string[],
  spell: (name: string, value: string) => string,
): string | undefined => {
  for (const [name, wanted] of rules) {
    if (wanted.length > 0 && !wanted.some((value) => pairs.includes(spell(name, value)))) return `${name} wanted ${listed(wanted)}`;
  }
  return undefined;
};

const SHOWN = 8;
const listed = (values: readonly string[]): string =>
  values.slice(0, SHOWN).join(', ') + (values.length > SHOWN ? ` and ${values.length - SHOWN} more` : '');
