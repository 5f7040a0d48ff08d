import { html, type TemplateResult } from 'lit-html';
import { listOf, splitValues } from '../../bookings/forms/typed-text.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { field, type FieldOptions } from './field.ts';
import { valueChips } from './value-chips.ts';
import { t } from '../../words/texts.ts';

export interface ValuesFieldOptions extends FieldOptions {
  readonly inputMode?: 'text' | 'decimal' | 'numeric';
  readonly placeholder?: string;
  /** Offered while typing. */
  readonly suggestions?: readonly { readonly value: string; readonly label: string }[];
  readonly labelOf?: (value: string) => string;
  /** The value that a typed text means. */
  readonly toValue?: (typed: string) => string;
}

/** A list of values. Enter, a comma or leaving the field adds the typed value. */
export const valuesField = (form: Form, options: ValuesFieldOptions): TemplateResult =>
  field(form, options, ({ id, describedBy, invalid }) => {
    const { pointer, suggestions = [], toValue = (typed: string) => typed, labelOf = (value: string) => value } = options;
    const write = (next: readonly string[]): void => form.write(pointer, next);
    const values = listOf(form.read(pointer));
    const take = (input: HTMLInputElement) => {
      const added = splitValues(input.value).map(toValue);
      input.value = '';
      if (added.length > 0) write([...new Set([...values, ...added])]);
    };
    return html`<div class="values">
      ${valueChips({ values, labelOf, write })}
      <input
        id=${id}
        type="text"
        autocomplete="off"
        spellcheck="false"
        inputmode=${options.inputMode ?? 'text'}
        placeholder=${options.placeholder ?? t`Type a value, then Enter`}
        aria-describedby=${describedBy}
        aria-invalid=${invalid}
        list="${id}-list"
        @change=${(event: Event) => take(event.target as HTMLInputElement)}
        @keydown=${(event: KeyboardEvent) => {
          const input = event.target as HTMLInputElement;
          if ((event.key === 'Enter' || event.key === ',') && input.value.trim() !== '') {
            event.preventDefault();
            take(input);
          } else if (event.key === 'Enter') event.preventDefault();
          else if (event.key === 'Backspace' && input.value === '' && values.length > 0) write(values.slice(0, -1));
        }}
      />
      <datalist id="${id}-list">
        ${suggestions.map(({ value, label }) => html`<option value=${label === value ? value : `${label} (${value})`}></option>`)}
      </datalist>
    </div>`;
  });
