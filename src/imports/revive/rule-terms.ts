import { halfHoursOf, HALF_HOURS_A_WEEK } from './week-of-hours.ts';

export type Scalar = string | number;
export type Range = { readonly min?: number; readonly max?: number };
export type Value = Scalar | Range | { readonly prefix: string };

/** One condition on what a targeting rule reads, or on the time. */
export type Atom =
  | { readonly field: string; readonly excludes: boolean; readonly values: readonly Value[] }
  | { readonly field: 'hours'; readonly zone: string; readonly halves: readonly number[] }
  /** Epoch ms; the end is not included. */
  | { readonly field: 'flight'; readonly fromMs: number; readonly untilMs: number };

/** Conditions that must all hold. */
export type Term = readonly Atom[];
/** Terms of which one must hold. No term: never. */
export type Terms = readonly Term[];

/** What cannot be said here, as a sentence without its subject. */
export interface Inexpressible {
  readonly cannot: string;
}
export type Expressed = { readonly terms: Terms } | Inexpressible;

export const always: Terms = [[]];
export const all = (left: Terms, right: Terms): Terms => left.flatMap((one) => right.map((other) => [...one, ...other]));

/** Rules are joined by `and` before `or`, as in Revive, which compiles them to PHP. */
export const joined = (parts: readonly { readonly isOr: boolean; readonly terms: Terms }[]): Terms => {
  const groups: Terms[] = [];
  for (const { isOr, terms } of parts) groups.push(isOr || groups.length === 0 ? terms : all(groups.pop() as Terms, terms));
  return groups.length === 0 ? always : groups.flat();
};

/** The contrary, where each term is one condition. */
export const negated = (terms: Terms): Expressed => {
  const atoms: Atom[] = [];
  for (const [atom, ...more] of terms) {
    if (!atom || more.length > 0 || atom.field === 'flight') return { cannot: 'excludes a set of several rules' };
    if ('excludes' in atom) atoms.push({ ...atom, excludes: !atom.excludes });
    else if ('halves' in atom) atoms.push({ ...atom, halves: contrary(atom.halves) });
  }
  return { terms: [atoms] };
};

export const contrary = (halves: readonly number[]): readonly number[] => {
  const left = new Set(halves);
  return Array.from({ length: HALF_HOURS_A_WEEK }, (_, half) => half).filter((half) => !left.has(half));
};

/** Values of which a request has one at most: that two lists of them hold means that both have it. */
const SINGLE = new Set(['countries', 'regions', 'cities', 'browsers', 'os']);

/** What a term says of each field, once. */
export interface Conditions {
  readonly include: Readonly<Record<string, readonly Value[]>>;
  readonly exclude: Readonly<Record<string, readonly Value[]>>;
  readonly hours: { readonly zone: string; readonly halves: readonly number[] } | undefined;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A term with its conditions on a field made one. */
const conditionsOf = (term: Term): Conditions | Inexpressible => {
  const include: Record<string, readonly Value[]> = {};
  const exclude: Record<string, readonly Value[]> = {};
  let hours: Conditions['hours'];
  let [fromMs, untilMs] = [-Infinity, Infinity];
  for (const atom of term) {
    if ('fromMs' in atom) [fromMs, untilMs] = [Math.max(fromMs, atom.fromMs), Math.min(untilMs, atom.untilMs)];
    else if ('halves' in atom) {
      if (hours && hours.zone !== atom.zone) return { cannot: 'has hours of two time zones' };
      hours = { zone: atom.zone, halves: hours ? hours.halves.filter((half) => atom.halves.includes(half)) : atom.halves };
    } else if (atom.excludes) exclude[atom.field] = distinct([...(exclude[atom.field] ?? []), ...atom.values]);
    else {
      const met = met2(atom.field, include[atom.field], atom.values);
      if (!met) return { cannot: `has two rules of ${wordsOf(atom.field)} that must both hold` };
      if (met.length === 0) return { cannot: `never serves: no ${wordsOf(atom.field)} meets its rules` };
      include[atom.field] = met;
    }
  }
  if (hours?.halves.length === 0 || untilMs <= fromMs) return { cannot: 'never serves: no time meets its rules' };
  return { include, exclude, hours, fromMs, untilMs };
};

const wordsOf = (field: string): string => field.replace('key_values.', 'the variable ');

/** Values that meet two lists; undefined: no list says it. */
const met2 = (field: string, known: readonly Value[] | undefined, values: readonly Value[]): readonly Value[] | undefined => {
  if (!known || same(known, values)) return values;
  if (SINGLE.has(field)) return known.filter((value) => values.includes(value));
  const [one, other] = [rangeOf(known), rangeOf(values)];
  if (!one || !other) return undefined;
  const [min, max] = [Math.max(one.min ?? -Infinity, other.min ?? -Infinity), Math.min(one.max ?? Infinity, other.max ?? Infinity)];
  return min > max ? [] : [{ ...(min > -Infinity && { min }), ...(max < Infinity && { max }) }];
};

const rangeOf = ([first, ...more]: readonly Value[]): Range | undefined =>
  typeof first === 'object' && !('prefix' in first) && more.length === 0 ? first : undefined;

const distinct = (values: readonly Value[]): readonly Value[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The one set of conditions that terms come to: terms that differ in one list of values are one with both lists. */
export const onlyConditions = (terms: Terms): Conditions | Inexpressible => {
  const open: Conditions[] = [];
  const faults: Inexpressible[] = [];
  for (const term of terms) {
    const conditions = conditionsOf(term);
    if ('cannot' in conditions) faults.push(conditions);
    else open.push(conditions);
  }
  // A term that never holds is no alternative.
  const fault = faults.find(({ cannot }) => open.length === 0 || !cannot.startsWith('never'));
  if (fault) return fault;
  for (let i = 0; i < open.length; i++)
    for (let j = i + 1; j < open.length; j++) {
      const both = united(open[i]!, open[j]!);
      if (!both) continue;
      open.splice(j, 1);
      open[i] = both;
      [i, j] = [0, 0];
    }
  return open.length === 1 ? open[0]! : { cannot: 'has rules of different kinds that are joined by "or"' };
};

const united = (one: Conditions, other: Conditions): Conditions | undefined => {
  if (same(plain(one), plain(other))) return one;
  const fields = new Set([...Object.keys(one.include), ...Object.keys(other.include)]);
  const differing = [...fields].filter((field) => !same(one.include[field], other.include[field]));
  if (same(plain({ ...one, include: {} }), plain({ ...other, include: {} })) && differing.length === 1) {
    const [field = ''] = differing;
    const [values, others] = [one.include[field], other.include[field]];
    // Without the rule, the other one holds for more.
    const { [field]: _, ...rest } = one.include;
    return { ...one, include: values && others ? { ...rest, [field]: distinct([...values, ...others]) } : rest };
  }
  const hoursAlone = same(plain({ ...one, hours: undefined }), plain({ ...other, hours: undefined }));
  if (hoursAlone && one.hours && one.hours.zone === other.hours?.zone)
    return { ...one, hours: { zone: one.hours.zone, halves: halfHoursOf([...one.hours.halves, ...other.hours.halves]) } };
  return undefined;
};

/** For a comparison: infinite times are no JSON, and fields in their order. */
const plain = ({ fromMs, untilMs, include, exclude, hours }: Conditions): unknown => [
  ...[String(fromMs), String(untilMs), hours ?? null],
  ...[Object.entries(include).sort(), Object.entries(exclude).sort()],
];
