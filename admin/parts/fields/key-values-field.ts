import { html, type TemplateResult } from 'lit-html';
import { button } from '../parts.ts';
import type { Form } from '../../bookings/forms/form.ts';
import type { TargetedValue } from '../../../src/targeting/targeting-rules.ts';
import { targetedTexts, targetedValue } from '../../bookings/forms/targeted-text.ts';
import { splitValues } from '../../bookings/forms/typed-text.ts';
import { fieldGroup, idOf, type Control, type FieldOptions } from './field.ts';
import { input } from './input.ts';
import { formRows } from './rows.ts';
import { t } from '../../words/texts.ts';

export interface KeyValueRow {
  readonly name: string;
  /** As typed, values separated by commas. */
  readonly values: string;
}

/** The rows of a record's key-values. */
export const keyValueRows = (value: unknown): readonly KeyValueRow[] =>
  Object.entries(value ?? {}).map(([name, values]) => ({ name, values: targetedTexts(values).join(', ') }));

/** Rows with the same name are one rule; empty rows are left out. */
export const keyValuesOf = (rows: unknown): Readonly<Record<string, readonly TargetedValue[]>> => {
  const found = new Map<string, readonly TargetedValue[]>();
  for (const { name, values } of rows as readonly KeyValueRow[]) {
    if (name.trim() === '' && values.trim() === '') continue;
    found.set(name.trim(), [...(found.get(name.trim()) ?? []), ...splitValues(values).map((text) => targetedValue(text))]);
  }
  return Object.fromEntries(found);
};

/** The rows of an object of texts, and the object. */
export const textRows = (value: unknown): readonly KeyValueRow[] =>
  Object.entries(value ?? {}).map(([name, text]) => ({ name, values: String(text) }));

export const textsOf = (rows: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (rows as readonly KeyValueRow[]).map(({ name, values }) => [name.trim(), values.trim()] as const).filter((row) => row.join('') !== ''),
  );

/** Free key-values, one name per row. */
export const keyValuesField = (form: Form, options: FieldOptions & { readonly one?: boolean; readonly what?: string }): TemplateResult =>
  fieldGroup(form, options, ({ invalid }) => {
    const control: Partial<Control> = { invalid };
    const addId = `${idOf(options.pointer)}-add`;
    const { rows, add, remove, change } = formRows<KeyValueRow>(form, options.pointer, addId);
    const { what = t`key-value` } = options;
    return html`<div class="key-values">
      ${rows.map(
        (row, i) =>
          html`<div class="key-value">
            ${input({ control, label: t`Name ${i + 1}`, placeholder: t`name`, value: row.name, onInput: (name) => change(i, { name }) })}
            ${input({
              control,
              label: options.one ? t`Value ${i + 1}` : t`Values ${i + 1}, separated by commas`,
              placeholder: options.one ? t`value` : t`value, another value`,
              value: row.values,
              onInput: (values) => change(i, { values }),
            })}
            ${button('×', () => remove(i), 'quiet icon-button', t`Remove ${what} ${i + 1}`)}
          </div>`,
      )}
      <button
        type="button"
        id=${addId}
        class="quiet"
        @click=${(event: Event) => {
          const holder = (event.currentTarget as HTMLElement).closest('.key-values');
          add({ name: '', values: '' });
          queueMicrotask(() => holder?.querySelector<HTMLInputElement>('.key-value:last-of-type input')?.focus());
        }}
      >
        ${t`+ Add a ${what}`}
      </button>
    </div>`;
  });
