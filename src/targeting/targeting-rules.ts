/**
 * Rules about the visitor and the page, by the field of a line item's targeting that lists the values;
 * the name is that of the value in a request. A new rule of this kind is a line here, and a value in
 * the request's context.
 */
export const CONTEXT_RULES = {
  countries: 'country',
  regions: 'region',
  cities: 'city',
  devices: 'device',
  languages: 'language',
  browsers: 'browser',
  os: 'os',
  connection: 'connection',
  urls: 'page',
  referrers: 'referrer',
  audiences: 'audience',
} as const;

export type ContextKind = keyof typeof CONTEXT_RULES;
export const CONTEXT_KINDS = Object.keys(CONTEXT_RULES) as ContextKind[];

/** Known of every request, with one value at most. The others are read only where a line item has such a rule. */
export const KNOWN_KINDS = ['countries', 'regions', 'cities', 'devices'] as const satisfies readonly ContextKind[];
export type KnownKind = (typeof KNOWN_KINDS)[number];
/** `schedule`: the hours of a line item's schedule, which is no part of its targeting. */
export type AskedKind = Exclude<ContextKind, KnownKind> | 'schedule';
export const ASKED_KINDS: readonly AskedKind[] = [
  ...CONTEXT_KINDS.filter((kind): kind is Exclude<ContextKind, KnownKind> => !(KNOWN_KINDS as readonly ContextKind[]).includes(kind)),
  'schedule',
];
/** The name of the value in a request that a kind is compared with. */
export const nameOfAsked = (kind: AskedKind): string => (kind === 'schedule' ? 'hour' : CONTEXT_RULES[kind]);

/** The field of a line item's targeting that a rule comes from. */
export type TargetingKind = ContextKind | 'dimensions' | 'key_values' | 'schedule';

/** Numbers from `min` to `max`, both included; null: open. */
export interface NumberRange {
  readonly min: number | null;
  readonly max: number | null;
}

/** A request meets a rule when it offers one of the values, compared as `String(value)`, or one within a range or with a prefix. */
export interface TargetingRule {
  readonly kind: TargetingKind;
  readonly name: string;
  readonly values: readonly string[];
  readonly ranges?: readonly NumberRange[];
  readonly prefixes?: readonly string[];
  /** The rule is met when the request offers none of them. */
  readonly excludes?: true;
}

/** The rules of a line item. Every rule must be met; without rules it accepts every request. */
export type TargetingRules = readonly TargetingRule[];

type Scalar = string | number | boolean;
/** One of `min` and `max` may be absent. */
export type TargetedRange = { readonly min?: number; readonly max?: number };
export type TargetedPrefix = { readonly prefix: string };
export type TargetedValue = Scalar | TargetedRange | TargetedPrefix;
export type TargetedValues = TargetedValue | readonly TargetedValue[];

/** One side of the targeting of a record, checked. */
export type RuleFields = { readonly [kind in ContextKind]?: readonly string[] } & {
  readonly [kind in 'dimensions' | 'key_values']?: Readonly<Record<string, TargetedValues>>;
};
/** The targeting of a line item's record, checked. */
export type TargetingFields = RuleFields & { readonly exclude?: RuleFields };

/** Shared by all line items without a rule: at 100,000 line items, empty lists add up. */
const NO_RULES: TargetingRules = [];

/** The rules of a line item in the order in which a refusal names them. */
export const targetingRules = ({ exclude, ...fields }: TargetingFields): TargetingRules => {
  const rules = [...rulesOf(fields), ...(exclude ? rulesOf(exclude).map((rule) => ({ ...rule, excludes: true as const })) : [])];
  return rules.length === 0 ? NO_RULES : rules;
};

const rulesOf = (fields: RuleFields): readonly TargetingRule[] =>
  [
    ...CONTEXT_KINDS.map((kind) => ruleOf(kind, CONTEXT_RULES[kind], fields[kind] ?? [])),
    ...Object.entries(fields.dimensions ?? {}).map(([name, values]) => ruleOf('dimensions', name, values)),
    ...Object.entries(fields.key_values ?? {}).map(([name, values]) => ruleOf('key_values', name, values)),
  ].filter(({ values, ranges = [], prefixes = [] }) => values.length + ranges.length + prefixes.length > 0);

const ruleOf = (kind: TargetingKind, name: string, given: TargetedValues): TargetingRule => {
  const all = [given].flat() as readonly TargetedValue[];
  const values = all.filter((value) => typeof value !== 'object').map(String);
  const ranges = all.filter(isRange).map(({ min = null, max = null }) => ({ min, max }));
  const prefixes = all.filter(isPrefix).map(({ prefix }) => prefix);
  return {
    kind,
    name,
    // Tags of languages are compared in any letter case.
    values: kind === 'languages' ? values.map((value) => value.toLowerCase()) : values,
    ...(ranges.length > 0 && { ranges }),
    ...(prefixes.length > 0 && { prefixes }),
  };
};

export const isPrefix = (value: TargetedValue): value is TargetedPrefix => typeof value === 'object' && 'prefix' in value;
export const isRange = (value: TargetedValue): value is TargetedRange => typeof value === 'object' && !('prefix' in value);

/**
 * A value as rules and requests both spell it. The name's length comes first, so that `a=b` + `c`
 * and `a` + `b=c` differ; the kind keeps a dimension and a key-value of the same name apart.
 */
export const pairOf = (kind: TargetingKind, name: string, value: string): string => `${kind}${name.length}:${name}=${value}`;

/** A prefix of a value: no pair of a value begins like this. */
export const prefixPairOf = (pair: string): string => `^${pair}`;

/** As JSON spells a number. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/** The number that a value of a request spells; NaN: none. */
export const numberIn = (value: string): number => (NUMBER.test(value) ? Number(value) : NaN);

export const isWithin = ({ min, max }: NumberRange, value: number): boolean => value >= (min ?? -Infinity) && value <= (max ?? Infinity);
