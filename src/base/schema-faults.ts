import type { ErrorObject } from 'ajv';
import { pointerStep } from './fault.ts';
import type { Fault } from './fault.ts';

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
  if (propertyName !== undefined) return { pointer: pointer + pointerStep(propertyName), detail: `name ${message}` };
  switch (keyword) {
    case 'required':
      return { pointer: pointer + pointerStep(String(params['missingProperty'])), detail: 'is required' };
    case 'additionalProperties':
      return { pointer: pointer + pointerStep(String(params['additionalProperty'])), detail: 'is not a known field' };
    case 'enum':
      return { pointer, detail: `must be one of ${(params['allowedValues'] as readonly unknown[]).join(', ')}` };
    case 'format':
      return { pointer, detail: formats[String(params['format'])] ?? message };
    case 'type':
      return { pointer, detail: `must be ${[params['type']].flat().join(' or ')}` };
    default:
      return { pointer, detail: message };
  }
};
