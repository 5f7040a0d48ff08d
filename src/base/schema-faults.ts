import type { ErrorObject } from 'ajv';
import { pointerStep, type Fault } from './fault.ts';

/** Errors that only say that another error, also in the list, made them fail. */
const CONSEQUENCES = new Set(['anyOf', 'if', 'propertyNames']);

/**
 * ajv's errors as faults, each pointer with the same words once: alternatives that all fail report
 * the same fault several times. Linear in the number of errors, which a client chooses.
 *
 * @param formats what a value of each `format` must be
 */
export const schemaFaults = (
  errors: readonly ErrorObject[] | null | undefined,
  formats: Readonly<Record<string, string>> = {},
): Fault[] => {
  const seen = new Set<string>();
  const faults: Fault[] = [];
  for (const error of errors ?? []) {
    if (CONSEQUENCES.has(error.keyword)) continue;
    const fault = faultOf(error, formats);
    const key = `${fault.pointer} ${fault.detail}`;
    if (seen.size !== seen.add(key).size) faults.push(fault);
  }
  return faults;
};

const faultOf = (error: ErrorObject, formats: Readonly<Record<string, string>>): Fault => {
  const { keyword, instancePath: pointer, propertyName, message = 'is invalid' } = error;
  const params = error.params as Readonly<Record<string, unknown>>;
  if (propertyName !== undefined) {
    const words = keyword === 'format' ? formats[String(params['format'])] : undefined;
    return { pointer: pointer + pointerStep(propertyName), detail: `name ${words ?? wordsOf(error)}` };
  }
  switch (keyword) {
    case 'required':
      return { pointer: pointer + pointerStep(String(params['missingProperty'])), detail: 'is required' };
    case 'additionalProperties':
      return { pointer: pointer + pointerStep(String(params['additionalProperty'])), detail: 'is not a known field' };
    case 'format':
      return { pointer, detail: formats[String(params['format'])] ?? message };
    default:
      return { pointer, detail: wordsOf(error) };
  }
};

/** The pattern of a text with a character that is no space. */
export const NOT_BLANK = '\\S';
/** The pattern of a month: YYYY-MM. */
export const MONTH = '^2\\d{3}-(0[1-9]|1[0-2])$';
export const MONTH_WORDS = 'must be a month such as 2026-10';
/** Names of people and of tokens: 1 to so many characters, without spaces around them. */
const nameOf = (max: number): string => `^\\S(.{0,${max - 2}}\\S)?$`;
export const NAME_OF_64 = nameOf(64);
export const NAME_OF_100 = nameOf(100);
const nameWords = (max: number): string => `must have 1 to ${max} characters, without spaces around them`;

const PATTERNS: Readonly<Record<string, string>> = {
  ...{ [NOT_BLANK]: 'must not be empty', [MONTH]: MONTH_WORDS },
  ...{ [NAME_OF_64]: nameWords(64), [NAME_OF_100]: nameWords(100) },
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/**
 * What a value must be, in words that a person at a form understands; ajv's own words where there
 * are no better ones.
 */
const wordsOf = ({ keyword, params, message = 'is invalid' }: ErrorObject): string => {
  const { limit, type, allowedValues, pattern } = params as {
    readonly limit?: number;
    readonly pattern?: string;
    readonly type?: string | readonly string[];
    readonly allowedValues?: readonly unknown[];
  };
  switch (keyword) {
    case 'type':
      return `must be ${[type ?? []]
        .flat()
        .map((name) => TYPES[name] ?? name)
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${(allowedValues ?? []).map(String).join(', ')}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be more than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'pattern':
      return PATTERNS[pattern ?? ''] ?? message;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return limit === 1 ? 'must have at least one value' : `must have at least ${limit} values`;
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${limit} values`;
    case 'uniqueItems':
      return 'must not have the same value twice';
    default:
      return message;
  }
};
