import { html, type TemplateResult } from 'lit-html';
import { PRIORITY_WORDS } from '../../words/choice-words.ts';
import { numberOf, textOf } from '../forms/typed-text.ts';
import type { Kind, LineItemWire, Records } from '../../api/wire.ts';
import { t } from '../../words/texts.ts';

/** The kinds whose records are changed in their list. */
export type InPlaceKind = 'campaigns' | 'line_items';
export const isEditedInList = (kind: Kind): boolean => kind === 'campaigns' || kind === 'line_items';
export type InPlaceField = 'cpm' | 'cpc' | 'cpcv' | 'budget' | 'priority' | 'daily_impression_cap' | 'start_date' | 'end_date';

/** The field that the price of a line item is in; undefined: it has none. */
export const priceField = ({ type, budget_type }: LineItemWire): InPlaceField | undefined => {
  if (type === 'programmatic') return undefined;
  if (budget_type === 'CPC' || budget_type === 'CPCV') return budget_type === 'CPC' ? 'cpc' : 'cpcv';
  return budget_type === 'Flat' ? 'budget' : 'cpm';
};

/** The fields of a record that are changed in its list, in the order of the columns. */
export const fieldsInList = <K extends InPlaceKind>(kind: K, record: Records[K]): readonly InPlaceField[] => {
  if (kind === 'campaigns') return ['start_date', 'end_date', 'budget'];
  return [priceField(record as LineItemWire) ?? [], 'priority', 'start_date', 'end_date', 'daily_impression_cap'].flat() as InPlaceField[];
};

/** The value of a record, null where it has none. */
export const storedValue = (record: object, field: InPlaceField): unknown => (record as Readonly<Record<string, unknown>>)[field] ?? null;

/** The same as a person reads it; a priority that is not given is the middle one. */
export const textOfField = (record: object, field: InPlaceField): string =>
  textOf(storedValue(record, field)) || (field === 'priority' ? '2' : '');

/** A value in the words of the list. */
export const wordsOfValue = (field: string, value: unknown): string =>
  (field === 'priority' && PRIORITY_WORDS[value as keyof typeof PRIORITY_WORDS]?.label) || textOf(value) || t`none`;

/** What a person types, as the service takes it; what is no value is sent as typed. */
export const valueOfText = (field: InPlaceField, typed: string): unknown => (field.endsWith('_date') ? typed.trim() : numberOf(typed));

/** The type of the input of a field; an end with a time of day is written as text. */
export const inputTypeOf = (field: InPlaceField, typed: string): 'date' | 'text' =>
  field.endsWith('_date') && typed.length === 10 ? 'date' : 'text';

export const priorityOptions = (typed: string): readonly TemplateResult[] =>
  Object.entries(PRIORITY_WORDS).map(([value, words]) => html`<option value=${value} ?selected=${value === typed}>${words.label}</option>`);
