import { FORMAT_DETAILS, isDay } from '../catalog/checks/formats.ts';
import { pointerStep, type Fault } from '../base/fault.ts';
import * as s from '../base/schema.ts';

/** One parameter of a route: what the document says of it, and how its texts become a value. */
export interface Parameter<T> {
  readonly in: 'path' | 'query' | 'header';
  readonly schema: s.Schema;
  readonly description?: string;
  readonly required?: boolean;
  /** Of a list; `explode`: repeated, not separated by commas. */
  readonly style?: 'form';
  readonly explode?: boolean;
  /** Of a path: what does not exist when the text cannot be an id. */
  readonly words?: string;
  /** @param words as they were sent, without empty ones; several when the parameter is repeated */
  readonly read: (words: readonly string[]) => Read<T>;
}

/** `faults`: with pointers from the value, which is '' itself. */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly Fault[] };

/** A step of the path: without it there is no route. */
export interface PathParameter<T> extends Parameter<T> {
  readonly in: 'path';
}

/** By the names of the parameters. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The values of parameters, by their names. */
export type ValuesOf<P extends Parameters> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never };

export const accept = <T>(value: T): Read<T> => ({ ok: true, value });
export const reject = (detail: string): Read<never> => ({ ok: false, faults: [{ pointer: '', detail }] });

/** The number of a record; undefined: no record can have it. */
export const readId = (word: string): number | undefined => {
  const id = /^[1-9]\d{0,9}$/.test(word) ? Number(word) : 0;
  return id > 0 && id <= s.MAX_ID ? id : undefined;
};

/** A number of a record in a path. `words`: what it names, for the problem when there is none. */
export const idInPath = (words: string): PathParameter<number> => ({
  ...{ in: 'path', required: true, schema: s.integer, words },
  read: ([word = '']) => {
    const id = readId(word);
    return id === undefined ? reject('is not an id') : accept(id);
  },
});

export const textInPath = (words: string): PathParameter<string> => ({
  ...{ in: 'path', required: true, schema: s.text, words },
  read: ([word = '']) => accept(word),
});

export const header = (description: string): Parameter<string | undefined> => ({
  ...{ in: 'header', schema: s.text, description },
  read: ([word]) => accept(word),
});

/** The first value, read by `read`; undefined where there is none. */
export const query = <T>(schema: s.Schema, description: string, read: (word: string) => Read<T>): Parameter<T | undefined> => ({
  ...{ in: 'query', required: false, schema, description },
  read: ([word]) => (word === undefined ? accept(undefined) : read(word)),
});

/** A parameter without which the route cannot be called. */
export const required = <T>(parameter: Parameter<T | undefined>): Parameter<T> => ({
  ...parameter,
  required: true,
  read: (words) => {
    const read = parameter.read(words);
    if (!read.ok) return read;
    return read.value === undefined ? reject('is required') : accept(read.value);
  },
});

/** A text. `words`: what it must be, where a pattern says it to programs only. */
export const textQuery = (
  description: string,
  limits: { readonly maxLength?: number; readonly pattern?: string; readonly format?: string } = {},
  words = `must have at most ${limits.maxLength} characters`,
): Parameter<string | undefined> => {
  const { maxLength = Infinity, pattern = '' } = limits;
  const isRight = new RegExp(pattern, 'u');
  return query(s.textOf(limits), description, (word) => (word.length <= maxLength && isRight.test(word) ? accept(word) : reject(words)));
};

/** A calendar day. */
export const dayQuery = (description: string): Parameter<string | undefined> =>
  query(s.textOf({ format: 'date' }), description, (word) => (isDay(word) ? accept(word) : reject(FORMAT_DETAILS['date']!)));

/** The number of a record. `words`: which, such as `publisher`. */
export const idQuery = (words: string, description: string): Parameter<number | undefined> =>
  query(s.integer, description, (word) => {
    const id = readId(word);
    return id === undefined ? reject(`must be the id of ${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`) : accept(id);
  });

/** Numbers of records, separated by commas; each once. */
export const idsQuery = (description: string): Parameter<readonly number[]> => ({
  ...{ in: 'query', required: false, schema: s.text, description },
  read: ([word = '']) => {
    const given = word.split(',').filter(Boolean);
    const ids = given.flatMap((part) => readId(part.trim()) ?? []);
    return ids.length === given.length ? accept([...new Set(ids)]) : reject('must be ids separated by commas');
  },
});

const choiceOf =
  <const T extends string>(values: readonly T[]) =>
  (word: string): Read<T> => {
    const value = values.find((one) => one === word);
    return value === undefined ? reject(`must be one of ${values.join(', ')}`) : accept(value);
  };

/** One of a closed set. */
export const choiceQuery = <const T extends string>(values: readonly T[], description: string): Parameter<T | undefined> =>
  query(s.oneOf(values), description, choiceOf(values));

/** One of a closed set, `usual` where none is given. */
export const choiceOr = <const T extends string>(usual: T, values: readonly T[], description: string): Parameter<T> => ({
  ...{ in: 'query', required: false, schema: s.oneOf(values, { default: usual }), description },
  read: ([word]) => (word === undefined ? accept(usual) : choiceOf(values)(word)),
});

/** Several of a closed set, separated by commas; in the order of the set, each once, `usual` where none is given. */
export const choicesOr = <const T extends string>(
  usual: readonly T[],
  values: readonly T[],
  description: string,
): Parameter<readonly T[]> => ({
  ...{ in: 'query', required: false, schema: s.listOf(s.oneOf(values), { default: usual }), description, style: 'form', explode: false },
  read: ([word]) => {
    if (word === undefined) return accept(usual);
    const given = word.split(',');
    const isKnown = given.every((one) => values.some((value) => value === one));
    return isKnown ? accept(values.filter((value) => given.includes(value))) : reject(`must be a list of: ${values.join(', ')}`);
  },
});

/** Several of a closed set, separated by commas; undefined where there is none. */
export const choicesQuery = <const T extends string>(values: readonly T[], description: string): Parameter<readonly T[] | undefined> => ({
  ...query(s.listOf(s.oneOf(values)), description, (word) => {
    const given = word.split(',').filter(Boolean);
    return given.length === 0 ? accept(undefined) : readList(given, choiceOf(values));
  }),
  ...{ style: 'form', explode: false },
});

/** A parameter that may be repeated; undefined where there is none. */
export const repeated = <T>(
  of: (word: string) => Read<T>,
  { schema, max, description }: { readonly schema: s.Schema; readonly max: number; readonly description: string },
): Parameter<readonly T[] | undefined> => ({
  ...{ in: 'query', required: false, schema: s.listOf(schema, { maxItems: max }), description, style: 'form', explode: true },
  read: (words) => {
    if (words.length > max) return reject(`must have at most ${max} values`);
    return words.length === 0 ? accept(undefined) : readList(words, of);
  },
});

/** Reads each word; the faults name its place. */
const readList = <T>(words: readonly string[], of: (word: string) => Read<T>): Read<readonly T[]> => {
  const values: T[] = [];
  const faults: Fault[] = [];
  for (const [i, word] of words.entries()) {
    const read = of(word);
    if (read.ok) values.push(read.value);
    else faults.push(...read.faults.map(({ detail }) => ({ pointer: pointerStep(i), detail })));
  }
  return faults.length > 0 ? { ok: false, faults } : accept(values);
};

/** A parameter that the handler reads from the whole query (`call.search`). */
export const ownQuery = (schema: s.Schema, description: string, list: 'commas' | 'repeated' | 'one' = 'one'): Parameter<undefined> => ({
  ...{ in: 'query', required: false, schema, description },
  ...(list === 'one' ? {} : { style: 'form', explode: list === 'repeated' }),
  read: () => accept(undefined),
});

/** A whole number in a range, with a default. */
export const numberQuery = (
  range: { readonly minimum: number; readonly maximum: number; readonly default: number },
  description: string,
): Parameter<number> => ({
  ...{ in: 'query', required: false, schema: s.integerOf(range), description },
  read: ([word]) => {
    if (word === undefined) return accept(range.default);
    const value = /^\d{1,10}$/.test(word) ? Number(word) : Number.NaN;
    return value >= range.minimum && value <= range.maximum ? accept(value) : reject(`must be ${range.minimum} to ${range.maximum}`);
  },
});

export const MAX_OFFSET = 1_000_000_000;

/** `limit` and `offset` of a list. */
export const pageQuery = ({ default: usual, max }: { readonly default: number; readonly max: number }) => ({
  limit: numberQuery({ minimum: 1, maximum: max, default: usual }, 'Maximum number of rows'),
  offset: numberQuery({ minimum: 0, maximum: MAX_OFFSET, default: 0 }, 'Number of rows to skip'),
});

type ReadParameters<P extends Parameters> =
  | { readonly ok: true; readonly values: ValuesOf<P> }
  /** `missing`: what the path names, where no record can have such an id. */
  | { readonly ok: false; readonly missing: string | undefined; readonly faults: readonly Fault[] };

/** The values of parameters, or every fault. */
export const readParameters = <P extends Parameters>(
  parameters: P,
  wordsOf: (name: string, place: Parameter<unknown>['in']) => readonly string[],
): ReadParameters<P> => {
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, parameter] of Object.entries(parameters)) {
    const read = parameter.read(wordsOf(name, parameter.in).filter((word) => word !== ''));
    if (read.ok) values[name] = read.value;
    else if (parameter.in === 'path') return { ok: false, missing: parameter.words, faults: [] };
    else faults.push(...read.faults.map(({ pointer, detail }) => ({ pointer: pointerStep(name) + pointer, detail })));
  }
  return faults.length > 0 ? { ok: false, missing: undefined, faults } : { ok: true, values: values as ValuesOf<P> };
};
