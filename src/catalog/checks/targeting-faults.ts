import { pointerStep, type Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { checkDimensions } from '../../targeting/check-dimensions.ts';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { isCountryCode } from './country-codes.ts';
import type { CheckedOn } from './shape-record.ts';
import { languagesOf } from '../../targeting/languages-of.ts';
import { urlPrefixesOf } from '../../targeting/url-prefixes.ts';

/** The members of a targeting that may name registered dimensions, and what of unregistered names. */
const UNREGISTERED = { dimensions: 'refused', key_values: 'allowed' } as const;
export const DIMENSION_FORMS = Object.keys(UNREGISTERED) as readonly (keyof typeof UNREGISTERED)[];
type DimensionForm = (typeof DIMENSION_FORMS)[number];

/** Of key-values outside a schema, the other values of a rule may serve. */
export interface TargetingContext extends CheckedOn {
  readonly dimensions: DimensionSchema;
}

/**
 * What no schema says of a targeting: registered dimensions, ranges that are none, and what is
 * included and excluded, so that it could match no visitor.
 */
export const targetingFaults = (targeting: unknown, { dimensions, isLoad = false }: TargetingContext): readonly Fault[] => {
  if (!isObject(targeting)) return [];
  const exclude = isObject(targeting['exclude']) ? targeting['exclude'] : {};
  const sides = [
    { rules: targeting, at: '/targeting' },
    { rules: exclude, at: '/targeting/exclude' },
  ];
  return [
    ...sides.flatMap(({ rules, at }) => dimensionFaults(rules, at, dimensions, isLoad)),
    ...sides.flatMap(({ rules, at }) => DIMENSION_FORMS.flatMap((form) => rangeFaults(rules[form], `${at}/${form}`))),
    ...(isLoad ? [] : sides.flatMap(({ rules, at }) => regionFaults(rules['regions'], `${at}/regions`))),
    ...(isLoad ? [] : contradictions(targeting, exclude, '/targeting/exclude')),
  ];
};

const dimensionFaults = (rules: Given, at: string, dimensions: DimensionSchema, isLoad: boolean): readonly Fault[] =>
  DIMENSION_FORMS.flatMap((form: DimensionForm) => {
    const values = rules[form];
    if (!isObject(values) || (isLoad && form === 'key_values')) return [];
    return checkDimensions(dimensions, values, { pointer: `${at}/${form}`, unregistered: UNREGISTERED[form] });
  });

/** A region that no country has would match no visitor, and say nothing. */
const regionFaults = (regions: unknown, at: string): readonly Fault[] =>
  Array.isArray(regions)
    ? regions.flatMap((region: unknown, i) =>
        typeof region !== 'string' || (/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region) && isCountryCode(region.slice(0, 2)))
          ? []
          : [{ pointer: `${at}/${i}`, detail: 'must be an ISO 3166-2 code, such as US-CA: a country, a hyphen and its region' }],
      )
    : [];

type Given = Readonly<Record<string, unknown>>;

const rangeFaults = (named: unknown, at: string): readonly Fault[] =>
  isObject(named)
    ? Object.entries(named).flatMap(([name, given]) =>
        Array.isArray(given)
          ? given.flatMap((value, i) => rangeFault(value, at + pointerStep(name) + pointerStep(i)))
          : rangeFault(given, at + pointerStep(name)),
      )
    : [];

const rangeFault = (value: unknown, pointer: string): readonly Fault[] => {
  if (!isObject(value)) return [];
  const { min, max, prefix } = value;
  if (prefix !== undefined && (min !== undefined || max !== undefined))
    return [{ pointer, detail: 'has a prefix and a range: write them as two values of a list' }];
  return typeof min === 'number' && typeof max === 'number' && min > max
    ? [{ pointer: `${pointer}/max`, detail: 'must not be below min: exchange the two' }]
    : [];
};

/** Of a value that is included, what it matches: itself, and what stands for it. */
const WIDER: Readonly<Record<string, (value: string) => readonly string[]>> = {
  languages: languagesOf,
  urls: (value) => urlPrefixesOf(`http://${value}`),
  referrers: (value) => urlPrefixesOf(`http://${value}`),
  connection: (value) => (/^\dg$/.test(value) ? [value, 'cellular'] : [value]),
};

const contradictions = (included: Given, excluded: Given, pointer: string): readonly Fault[] =>
  Object.entries(excluded).flatMap(([kind, given]) => {
    const wanted = included[kind];
    if (Array.isArray(given) && Array.isArray(wanted)) return listFaults(kind, wanted, given, `${pointer}/${kind}`);
    if (!isObject(given) || !isObject(wanted)) return [];
    return Object.entries(given).flatMap(([name, values]) =>
      name in wanted ? valueFaults([wanted[name]].flat(), values, `${pointer}/${kind}${pointerStep(name)}`) : [],
    );
  });

const listFaults = (kind: string, wanted: readonly unknown[], given: readonly unknown[], pointer: string): readonly Fault[] => {
  const spelled = (value: unknown): string => (kind === 'languages' ? String(value).toLowerCase() : String(value));
  const covered = new Map<string, unknown>();
  for (const value of wanted) for (const wide of WIDER[kind]?.(String(value)) ?? [String(value)]) covered.set(wide, value);
  return given.flatMap((value, i) => {
    const includedValue = covered.get(spelled(value));
    return includedValue === undefined ? [] : [contradiction(`${pointer}/${i}`, includedValue, value)];
  });
};

const valueFaults = (wanted: readonly unknown[], given: unknown, pointer: string): readonly Fault[] =>
  [given].flat().flatMap((value: unknown, i) => {
    const same = wanted.find((one) => covers(value, one));
    return same === undefined ? [] : [contradiction(Array.isArray(given) ? `${pointer}/${i}` : pointer, same, value)];
  });

/** Whether everything that `included` matches is excluded. */
const covers = (excluded: unknown, included: unknown): boolean => {
  if (!isObject(excluded)) return !isObject(included) && String(excluded) === String(included);
  const { prefix, min = -Infinity, max = Infinity } = excluded;
  if (typeof prefix === 'string') {
    const text = isObject(included) ? included['prefix'] : included;
    return (typeof text === 'string' || typeof text === 'number' || typeof text === 'boolean') && String(text).startsWith(prefix);
  }
  if (isObject(included)) {
    const { min: from = -Infinity, max: to = Infinity } = included;
    return !('prefix' in included) && Number(from) >= Number(min) && Number(to) <= Number(max);
  }
  return typeof included !== 'boolean' && included !== '' && Number(included) >= Number(min) && Number(included) <= Number(max);
};

const contradiction = (pointer: string, included: unknown, excluded: unknown): Fault => ({
  pointer,
  detail: `excludes ${words(excluded)}, and the targeting includes ${words(included)}: remove one of them`,
});

const words = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : String(value));
