import type { Condition, FieldDescription, FieldWords, FormDescription } from '../../../src/catalog/checks/form-description.ts';
import { FORMS } from '../../../src/catalog/checks/forms.ts';
import type { Fault } from '../../../src/base/fault.ts';
import { bidderSchema } from '../../../src/catalog/checks/bidder-schema.ts';
import { advertiserSchema } from '../../../src/catalog/checks/advertiser-schema.ts';
import { creativeSchema } from '../../../src/catalog/checks/creative-schema.ts';
import { campaignSchema, lineItemSchema, placementSchema, publisherSchema } from '../../../src/catalog/checks/schemas.ts';
import { KINDS, type Dimensions, type Kind } from '../../api/wire.ts';
import { isWithin, readAt, stepsOf } from './pointer.ts';
import { listOf, textOf } from './typed-text.ts';

/** The parts of a JSON Schema that the forms read. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly items?: FieldSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
}

/** One field of a form: what its schema and its description say together. */
export interface EntityField {
  readonly pointer: string;
  readonly schema: FieldSchema;
  /** Whether the schema or the description requires it; a condition of the description may do so, too. */
  readonly required: boolean;
  readonly description: FieldDescription;
}

export interface EntitySection {
  readonly title: string;
  readonly text: string;
  readonly fields: readonly EntityField[];
}

const SCHEMAS: Readonly<Record<Kind, FieldSchema>> = {
  publishers: publisherSchema,
  placements: placementSchema,
  advertisers: advertiserSchema,
  bidders: bidderSchema,
  campaigns: campaignSchema,
  line_items: lineItemSchema,
  creatives: creativeSchema,
};

export const sectionsOf = (kind: Kind): readonly EntitySection[] => {
  const schema = SCHEMAS[kind];
  const form: FormDescription = FORMS[kind];
  return form.sections.map(({ title, text = '', fields }) => ({
    title,
    text,
    fields: Object.entries(fields).flatMap(([path, description]) =>
      description === undefined
        ? []
        : [
            {
              pointer: `/${path}`,
              description,
              schema: schemaAt(schema, path),
              required: description.required ?? schema.required?.includes(path) === true,
            },
          ],
    ),
  }));
};

export const fieldsOf = (kind: Kind): readonly EntityField[] => sectionsOf(kind).flatMap(({ fields }) => fields);

const schemaAt = (schema: FieldSchema, path: string): FieldSchema =>
  path.split('/').reduce<FieldSchema>((at, name) => at.properties?.[name] ?? {}, schema);

export const hasType = ({ type }: FieldSchema, ...names: readonly string[]): boolean =>
  [type].flat().some((one) => names.includes(one ?? ''));

/** Whether a condition holds for a draft. */
export const holds = (condition: Condition | undefined, draft: unknown): boolean =>
  Object.entries(condition ?? {}).every(([path, values]) => {
    const value = textOf(readAt(draft, `/${path}`));
    return values === 'given' ? value !== '' : values.includes(value);
  });

/** The words of a field for a draft, by the conditions that hold. */
export const wordsOf = ({ description }: EntityField, draft: unknown): FieldWords =>
  (description.variants ?? [])
    .filter(({ when }) => holds(when, draft))
    .reduce<FieldWords>((words, { when: _, ...variant }) => ({ ...words, ...variant }), description);

/**
 * A fault of a draft as a sentence: the label of its field, then what is wrong, with labels for the names of
 * other fields.
 */
export const faultInWords = (kind: Kind, { pointer, detail }: Fault, draft: unknown, dimensions: Dimensions): string => {
  const field = fieldsOf(kind).find((each) => isWithin(pointer, each.pointer));
  const below = stepsOf(pointer.slice(field?.pointer.length));
  const names = below.filter((step) => !/^\d+$/.test(step));
  const ofItem = names.length < below.length ? field?.description.itemLabel : undefined;
  const label =
    field?.description.widget === 'dimensions'
      ? names.map((name) => dimensions[name]?.title ?? name)
      : [...(field ? [ofItem ?? wordsOf(field, draft).label] : []), ...names];
  const typed = textOf(readAt(draft, pointer));
  const example = /^must be (a|a whole) number( or null)?$/.exec(detail);
  if (example && typed !== '')
    return `${label.join(' › ')}: “${typed}” is not ${example[1]} number. Write one such as ${example[1] === 'a' ? '1500.00' : '1500'}`;
  // An empty field is the page's null.
  return `${label.join(' › ')} ${withLabels(kind, detail.replace(/ or null$/, '').replace(/, null$/, ''))}`.trim();
};

/** `must be after start_date` as `must be after Start`. */
const withLabels = (kind: Kind, detail: string): string =>
  fieldsOf(kind)
    .filter(({ pointer }) => pointer.includes('_'))
    .reduce((text, { pointer, description }) => text.replaceAll(pointer.slice(1), description.label), detail);

export const choicesOf = ({ schema, description }: EntityField): readonly { value: string; label: string; note?: string }[] =>
  listOf(schema.enum ?? schema.items?.enum)
    .filter((value) => value !== '')
    .map((value) => ({ value, label: value, ...description.choices?.[value] }));

/** The fields of each kind that name a record that it belongs to. */
export const PARENTS = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    fieldsOf(kind).flatMap(({ pointer, description: { parent } }) => (parent ? [{ field: pointer.slice(1), parent }] : [])),
  ]),
) as unknown as Readonly<Record<Kind, readonly { readonly field: string; readonly parent: Kind }[]>>;
