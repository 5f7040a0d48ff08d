import type { Fault } from '../../../src/base/fault.ts';
import { entityOf, perTable } from '../../../src/catalog/entities/entities.ts';
import { formOf, type FieldSchema, type FormField, type FormSection } from '../../../src/catalog/entities/form.ts';
import type { Condition, FieldWords } from '../../../src/catalog/entities/form-description.ts';
import type { Dimensions, Kind } from '../../api/wire.ts';
import { isWithin, readAt, stepsOf } from './pointer.ts';
import { sayWords } from '../../words/service-words.ts';
import { listOf, textOf } from './typed-text.ts';
import { say, t } from '../../words/texts.ts';

const FORMS = perTable((kind) => sayWords(formOf(entityOf(kind))));

export const sectionsOf = (kind: Kind): readonly FormSection[] => FORMS[kind];

export const fieldsOf = (kind: Kind): readonly FormField[] => sectionsOf(kind).flatMap(({ fields }) => fields);

/** The label of a field of a record, for a draft; its name where the form does not have it. */
export const labelOf = (kind: Kind | undefined, name: string, draft: unknown = {}): string => {
  const field = kind && fieldsOf(kind).find(({ pointer }) => pointer === `/${name}`);
  return field ? wordsOf(field, draft).label : name.replaceAll('_', ' ');
};

/** Whether a field of a record is an amount, in the currency of its publisher. */
export const isAmount = (kind: Kind, name: string): boolean => entityOf(kind).fields[name]?.stored === 'micros';

export const hasType = ({ type }: FieldSchema, ...names: readonly string[]): boolean =>
  [type].flat().some((one) => names.includes(one ?? ''));

/** Whether a condition holds for a draft. */
export const holds = (condition: Condition | undefined, draft: unknown): boolean =>
  Object.entries(condition ?? {}).every(([path, values]) => {
    const value = textOf(readAt(draft, `/${path}`));
    return values === 'given' ? value !== '' : values.includes(value);
  });

/** The words of a field for a draft, by the conditions that hold. */
export const wordsOf = ({ words }: FormField, draft: unknown): FieldWords =>
  (words.variants ?? [])
    .filter(({ when }) => holds(when, draft))
    .reduce<FieldWords>((all, { when: _, ...variant }) => ({ ...all, ...variant }), words);

/**
 * A fault of a draft as a sentence: the label of its field, then what is wrong, with labels for the names of
 * other fields.
 */
export const faultInWords = (kind: Kind, { pointer, detail }: Fault, draft: unknown, dimensions: Dimensions): string => {
  const field = fieldsOf(kind).find((each) => isWithin(pointer, each.pointer));
  const below = stepsOf(pointer.slice(field?.pointer.length));
  const names = below.filter((step) => !/^\d+$/.test(step));
  const ofItem = names.length < below.length ? field?.words.itemLabel : undefined;
  const label =
    field?.words.widget === 'dimensions'
      ? names.map((name) => dimensions[name]?.title ?? name)
      : [...(field ? [ofItem ?? wordsOf(field, draft).label] : []), ...names];
  const typed = textOf(readAt(draft, pointer));
  const example = /^must be (a|a whole) number( or null)?$/.exec(detail);
  if (example && typed !== '')
    return t`${label.join(' › ')}: “${typed}” is not ${example[1]} number. Write one such as ${example[1] === 'a' ? '1500.00' : '1500'}`;
  // An empty field is the page's null.
  return `${label.join(' › ')} ${say(withLabels(kind, detail.replace(/ or null$/, '').replace(/, null$/, '')))}`.trim();
};

/** `must be after start_date` as `must be after Start`. */
const withLabels = (kind: Kind, detail: string): string =>
  fieldsOf(kind)
    .filter(({ pointer }) => pointer.includes('_'))
    .reduce((text, { pointer, words }) => text.replaceAll(pointer.slice(1), words.label), detail);

export const choicesOf = ({ schema, choices, words }: FormField): readonly { value: string; label: string; note?: string }[] => [
  ...(words.none ? [{ value: '', ...words.none }] : []),
  ...listOf(schema.enum ?? schema.items?.enum)
    .filter((value) => value !== '')
    .map((value) => ({ value, label: value, ...choices[value] })),
];

/** The fields of each kind that name a record that it belongs to. */
export const PARENTS = perTable((kind) =>
  fieldsOf(kind).flatMap(({ pointer, parent }) => (parent ? [{ field: pointer.slice(1), parent }] : [])),
);
