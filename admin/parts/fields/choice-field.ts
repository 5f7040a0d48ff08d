import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { listOf, textOf } from '../../bookings/forms/typed-text.ts';
import type { Form } from '../../bookings/forms/form.ts';
import type { Option } from '../combobox.ts';
import { field, fieldGroup, idOf, type FieldOptions } from './field.ts';

export interface ChoiceFieldOptions extends FieldOptions {
  readonly choices: readonly Option[];
}

/** One of many, as a select. */
export const selectField = (form: Form, options: ChoiceFieldOptions & { readonly none?: string }): TemplateResult =>
  field(form, options, ({ id, describedBy, invalid }) => {
    const chosen = textOf(form.read(options.pointer));
    return html`<select
      id=${id}
      aria-describedby=${describedBy}
      aria-invalid=${invalid}
      ?required=${options.required}
      @change=${(event: Event) => form.write(options.pointer, (event.target as HTMLSelectElement).value)}
    >
      ${options.none === undefined ? '' : html`<option value="" .selected=${live(chosen === '')}>${options.none}</option>`}
      ${options.choices.map(({ value, label }) => html`<option value=${value} .selected=${live(chosen === value)}>${label}</option>`)}
    </select>`;
  });

/** One of few, as radio buttons. */
export const segmentedField = (form: Form, options: ChoiceFieldOptions): TemplateResult =>
  fieldGroup(form, options, () => choices(form, options, 'radio', (value) => textOf(form.read(options.pointer)) === value));

/** Any of few, as check boxes. */
export const checkField = (form: Form, options: ChoiceFieldOptions): TemplateResult =>
  fieldGroup(form, options, () => choices(form, options, 'checkbox', (value) => listOf(form.read(options.pointer)).includes(value)));

const choices = (
  form: Form,
  options: ChoiceFieldOptions,
  type: 'radio' | 'checkbox',
  isChosen: (value: string) => boolean,
): TemplateResult => {
  const id = idOf(options.pointer);
  const invalid = form.faultsAt(options.pointer).length > 0 ? 'true' : nothing;
  return html`<div class="choices ${type}">
    ${options.choices.map(
      ({ value, label, note }) =>
        html`<label class="choice">
          <input
            type=${type}
            name=${id}
            value=${value}
            aria-describedby="${id}-faults"
            aria-invalid=${invalid}
            .checked=${live(isChosen(value))}
            @change=${(event: Event) => {
              const on = (event.target as HTMLInputElement).checked;
              if (type === 'radio') return form.write(options.pointer, value);
              const others = listOf(form.read(options.pointer)).filter((other) => other !== value);
              return form.write(options.pointer, on ? [...others, value] : others);
            }}
          />
          <span>${label}${note ? html`<small>${note}</small>` : ''}</span>
        </label>`,
    )}
  </div>`;
};

export const switchField = (form: Form, options: FieldOptions): TemplateResult =>
  field(
    form,
    options,
    ({ id, describedBy }) =>
      html`<input
        id=${id}
        type="checkbox"
        role="switch"
        aria-describedby=${describedBy}
        .checked=${live(form.read(options.pointer) === true)}
        @change=${(event: Event) => form.write(options.pointer, (event.target as HTMLInputElement).checked)}
      />`,
  );
