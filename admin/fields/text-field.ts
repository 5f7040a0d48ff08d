import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { textOf } from '../forms/typed-text.ts';
import type { Form } from '../forms/form.ts';
import { field, type FieldOptions } from './field.ts';

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
  field(form, options, ({ id, describedBy, invalid }) => {
    const input = html`<input
      id=${id}
      type="text"
      autocomplete="off"
      spellcheck="false"
      inputmode=${options.inputMode ?? 'text'}
      placeholder=${options.placeholder ?? ''}
      maxlength=${options.maxLength ?? nothing}
      aria-describedby=${describedBy}
      aria-invalid=${invalid}
      ?required=${options.required}
      ?disabled=${options.disabled}
      .value=${live(textOf(form.read(options.pointer)))}
      @input=${(event: InputEvent) => form.write(options.pointer, (event.target as HTMLInputElement).value)}
    />`;
    if (!options.prefix && !options.suffix) return input;
    return html`<div class="affixed">
      ${options.prefix ? html`<span class="affix" aria-hidden="true">${options.prefix}</span>` : ''}${input}${
        options.suffix ? html`<span class="affix" aria-hidden="true">${options.suffix}</span>` : ''
      }
    </div>`;
  });

/** A number; empty: not set. */
export const numberField = (form: Form, options: TextFieldOptions): TemplateResult => textField(form, { inputMode: 'numeric', ...options });

/** USD. */
export const moneyField = (form: Form, options: TextFieldOptions): TemplateResult =>
  textField(form, { inputMode: 'decimal', prefix: '$', placeholder: '0.00', ...options });

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
