import { html, type TemplateResult } from 'lit-html';
import type { Page } from '../../page.ts';
import { foldedSection, formSection } from '../../parts/form-section.ts';
import type { Kind } from '../../api/wire.ts';
import { hasType, holds, sectionsOf, wordsOf } from './entity-fields.ts';
import type { FormField } from '../../../src/catalog/entities/form.ts';
import type { TextFieldOptions } from '../../parts/fields/text-field.ts';
import type { Draft, SavedForm } from './form.ts';
import { textOf } from './typed-text.ts';
import { renderWidget } from './widgets.ts';

/**
 * The fields of one kind of record in their sections; those whose condition does not hold are left
 * out.
 */
export const renderForm = (kind: Kind, form: SavedForm, page: Page, { isNew }: { readonly isNew: boolean }): TemplateResult => html`
  ${sectionsOf(kind).map(({ title, text, folded, fields }) => {
    const content = html`${fields.filter(({ words }) => holds(words.when, form.draft())).map((field) => renderField(field, form, page, isNew))}`;
    if (!folded) return formSection(title, text, content);
    const hasValues = fields.some(({ pointer }) => hasValue(form.read(pointer)));
    const hasFaults = fields.some(({ pointer }) => form.faultsAt(pointer).length > 0);
    return foldedSection(title, text, content, { form, hasValues, hasFaults });
  })}
`;

const hasValue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(hasValue) : textOf(value) !== '';

const renderField = (field: FormField, form: SavedForm, page: Page, isNew: boolean): TemplateResult =>
  renderWidget({
    ...{ form, page, field },
    options: { ...optionsOf(field, form.draft()), ...(field.createOnly && { disabled: !isNew }) },
  });

/** How a field shows in a form with this draft. */
export const optionsOf = (field: FormField, draft: Draft): TextFieldOptions => {
  const { pointer, schema, words } = field;
  const { label, help, placeholder, required } = wordsOf(field, draft);
  return {
    ...{ pointer, label },
    // A choice that always has a value needs no mark.
    required: required ?? (field.required && !schema.enum && !hasType(schema, 'boolean')),
    ...(help !== undefined && { help }),
    ...(placeholder !== undefined && { placeholder }),
    ...(words.unit !== undefined && { suffix: words.unit }),
    ...(words.wide && { wide: true }),
    ...(schema.maxLength !== undefined && { maxLength: schema.maxLength }),
    ...(schema.format === 'http-url' && { inputMode: 'url' as const }),
    ...(hasType(schema, 'number') && { inputMode: 'decimal' as const }),
  };
};
