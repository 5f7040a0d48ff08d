import type { TemplateResult } from 'lit-html';
import type { Form } from '../../bookings/forms/form.ts';
import { numberOf } from '../../bookings/forms/typed-text.ts';
import type { DimensionProperty } from '../../../src/bookings/dimension-api.ts';
import { checkField } from './choice-field.ts';
import { valuesField } from './values-field.ts';
import { t } from '../../words/texts.ts';

/**
 * The control for a registered dimension: check boxes for an enumeration or a boolean, else typed
 * values.
 */
export const dimensionField = (form: Form, parent: string, name: string, dimension: DimensionProperty): TemplateResult => {
  const pointer = `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  // Beside the same of what is included.
  const label = parent.includes('/exclude/') ? t`Excluded: ${dimension.title}` : dimension.title;
  const options = { pointer, label, help: [dimension.description ?? '', range(dimension)].join(' ').trim() };
  const values = dimension.enum ?? (dimension.type === 'boolean' ? [true, false] : undefined);
  const labelOf = (value: unknown): string => (value === true ? t`yes` : value === false ? t`no` : String(value));
  if (values) return checkField(form, { ...options, choices: values.map((value) => ({ value: String(value), label: labelOf(value) })) });
  if (dimension.type === 'string') return valuesField(form, options);
  return valuesField(form, { ...options, inputMode: dimension.type === 'integer' ? 'numeric' : 'decimal' });
};

/**
 * A typed value in the dimension's type. A value of another type is kept as typed: the service says
 * what is wrong.
 */
export const dimensionValue = (dimension: DimensionProperty | undefined, typed: string): string | number | boolean => {
  if (dimension?.type === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : typed;
  if (dimension?.type === 'integer' || dimension?.type === 'number') return numberOf(typed) ?? typed;
  return typed;
};

const range = ({ type, minimum, maximum }: DimensionProperty): string => {
  const kind = type === 'integer' ? t`Whole number` : type === 'number' ? t`Number` : '';
  if (minimum !== undefined && maximum !== undefined) return t`${kind} from ${minimum} to ${maximum}.`;
  if (minimum !== undefined) return t`${kind} of at least ${minimum}.`;
  if (maximum !== undefined) return t`${kind} of at most ${maximum}.`;
  return kind && `${kind}.`;
};
