import type { TargetingQuery } from './targeting-query.ts';
import { isWithin, numberIn, pairOf } from './targeting-rules.ts';
import type { NumberRange, TargetingKind, TargetingRule, TargetingRules } from './targeting-rules.ts';

/** The first rule of a line item that a request does not meet. */
export interface TargetingRefusal {
  readonly rule: TargetingKind;
  /** For the trace: what the request offered and what the rule accepts, shortened. */
  readonly detail: string;
}

/**
 * Whether a request meets every rule: undefined when it does, else the first rule that it misses.
 * The targeting index answers the same question for all line items together; this plain form
 * explains a refusal, and the tests compare the index with it.
 */
export const matchTargeting = (rules: TargetingRules, query: TargetingQuery): TargetingRefusal | undefined => {
  const missed = rules.find((rule) => isOffered(rule, query) === (rule.excludes ?? false));
  if (missed === undefined) return undefined;
  const { kind, name, excludes } = missed;
  const offered = listed(query.offered(kind, name)) || 'unknown';
  return { rule: kind, detail: `${name} is ${offered}, ${excludes ? 'excluded' : 'wanted'} ${listed(wordsOfRule(missed))}` };
};

/** Whether a request offers a value that the rule names. */
const isOffered = ({ kind, name, values, ranges, prefixes }: TargetingRule, query: TargetingQuery): boolean => {
  if (values.some((value) => query.has(kind, pairOf(kind, name, value)))) return true;
  if (ranges === undefined && prefixes === undefined) return false;
  return query
    .offered(kind, name)
    .some((value) => prefixes?.some((prefix) => value.startsWith(prefix)) === true || isInOne(ranges, numberIn(value)));
};

const isInOne = (ranges: readonly NumberRange[] = [], value: number): boolean => ranges.some((range) => isWithin(range, value));

/** What a rule names: `18 to 34`, `sport…`. */
const wordsOfRule = ({ values, ranges = [], prefixes = [] }: TargetingRule): readonly string[] => [
  ...values,
  ...ranges.map(rangeWords),
  ...prefixes.map((prefix) => `${prefix}…`),
];

export const rangeWords = ({ min, max }: { readonly min?: number | null; readonly max?: number | null }): string =>
  (min ?? null) === null ? `up to ${max}` : (max ?? null) === null ? `${min} and more` : `${min} to ${max}`;

const MAX_SHOWN = 8;
const listed = (values: readonly string[]): string =>
  values.slice(0, MAX_SHOWN).join(', ') + (values.length > MAX_SHOWN ? ` and ${values.length - MAX_SHOWN} more` : '');
