/**
 * Rules about the visitor's context, by the field of a line item's targeting that lists the values;
 * the name is that of the value in a request, which has at most one. A new rule of this kind
 * (language, hour) is a line here, and a value in the request's context.
 */
export const CONTEXT_RULES = { countries: 'country', regions: 'region', cities: 'city', devices: 'device' } as const;

export type ContextKind = keyof typeof CONTEXT_RULES;
export const CONTEXT_KINDS = Object.keys(CONTEXT_RULES) as ContextKind[];

/** The field of a line item's targeting that a rule comes from. */
export type TargetingKind = ContextKind | 'dimensions' | 'key_values';

/** A request meets a rule when it offers one of the values, compared as `String(value)`. */
export interface TargetingRule {
  readonly kind: TargetingKind;
  readonly name: string;
  /** Never empty: an empty list sets no rule. */
  readonly values: readonly string[];
}

/** The rules of a line item. Every rule must be met; without rules it accepts every request. */
export type TargetingRules = readonly TargetingRule[];

type Scalar = string | number | boolean;
export type TargetedValues = Scalar | readonly Scalar[];

/** The targeting of a line item's record, checked. */
export type TargetingFields = { readonly [kind in ContextKind]?: readonly string[] } & {
  readonly [kind in 'dimensions' | 'key_values']?: Readonly<Record<string, TargetedValues>>;
};

/** Shared by all line items without a rule: at 100,000 line items, empty lists add up. */
const NO_RULES: TargetingRules = [];

/** The rules of a line item in the order in which a refusal names them. */
export const targetingRules = (fields: TargetingFields): TargetingRules => {
  const rules = [
    ...CONTEXT_KINDS.map((kind) => ruleOf(kind, CONTEXT_RULES[kind], fields[kind] ?? [])),
    ...Object.entries(fields.dimensions ?? {}).map(([name, values]) => ruleOf('dimensions', name, values)),
    ...Object.entries(fields.key_values ?? {}).map(([name, values]) => ruleOf('key_values', name, values)),
  ].filter(({ values }) => values.length > 0);
  return rules.length === 0 ? NO_RULES : rules;
};

const ruleOf = (kind: TargetingKind, name: string, values: TargetedValues): TargetingRule => ({
  kind,
  name,
  values: [values].flat().map(String),
});

/**
 * A value as rules and requests both spell it. The name's length comes first, so that `a=b` + `c`
 * and `a` + `b=c` differ; the kind keeps a dimension and a key-value of the same name apart.
 */
export const pairOf = (kind: TargetingKind, name: string, value: string): string => `${kind}${name.length}:${name}=${value}`;
