import type { TargetingQuery } from './targeting-query.ts';
import { pairOf } from './targeting-rules.ts';
import type { TargetingKind, TargetingRules } from './targeting-rules.ts';

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
  const missed = rules.find(({ kind, name, values }) => !values.some((value) => query.has(pairOf(kind, name, value))));
  if (missed === undefined) return undefined;
  const { kind, name, values } = missed;
  const spelling = pairOf(kind, name, '');
  const offered = query.pairs.filter((pair) => pair.startsWith(spelling)).map((pair) => pair.slice(spelling.length));
  return { rule: kind, detail: `${name} is ${listed(offered) || 'unknown'}, wanted ${listed(values)}` };
};

const MAX_SHOWN = 8;
const listed = (values: readonly string[]): string =>
  values.slice(0, MAX_SHOWN).join(', ') + (values.length > MAX_SHOWN ? ` and ${values.length - MAX_SHOWN} more` : '');
