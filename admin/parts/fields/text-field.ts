import { html, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { textOf } from '../../bookings/forms/typed-text.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { currencySign } from '../../words/formats.ts';
import { field, type FieldOptions } from './field.ts';
import { input } from './input.ts';

export interface TextFieldOptions extends FieldOptions {
  readonly placeholder?: string;
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'url';
  /** Shown before the value: a currency. */
  readonly prefix?: string;
  /** Shown after the value: a unit. */
  readonly suffix?: string;
  readonly disabled?: boolean;
  readonly maxLength?: number;
}

export const textField = (form: Form, options: TextFieldOptions): TemplateResult =>
  field(form, options, (control) => {
    const { pointer, prefix, suffix, placeholder, inputMode, maxLength, required, disabled } = options;
    const value = textOf(form.read(pointer));
    const onInput = (typed: string): void => form.write(pointer, typed);
    const typed = input({ control, value, onInput, placeholder, inputMode, maxLength, required, disabled });
    if (!prefix && !suffix) return typed;
    const affix = (text: string | undefined) => (text ? html`<span class="affix" aria-hidden="true">${text}</span>` : '');
    return html`<div class="affixed">${affix(prefix)}${typed}${affix(suffix)}</div>`;
  });

/** A number; empty: not set. */
export const numberField = (form: Form, options: TextFieldOptions): TemplateResult => textField(form, { inputMode: 'numeric', ...options });

/** An amount in a currency. */
export const moneyField = (form: Form, currency: string, options: TextFieldOptions): TemplateResult =>
  textField(form, { inputMode: 'decimal', prefix: currencySign(currency), placeholder: '0.00', ...options });

export const textArea = (form: Form, options: FieldOptions & { readonly rows: number }): TemplateResult =>
  field(
    form,
    options,
    ({ id, describedBy, invalid }) =>
      html`<textarea
        id=${id}
        class="code"
        rows=${options.rows}
        spellcheck="false"
        autocomplete="off"
        autocapitalize="off"
        aria-describedby=${describedBy}
        aria-invalid=${invalid}
        .value=${live(textOf(form.read(options.pointer)))}
        @input=${(event: InputEvent) => form.write(options.pointer, (event.target as HTMLTextAreaElement).value)}
      ></textarea>`,
  );
