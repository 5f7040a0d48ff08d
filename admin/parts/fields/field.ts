import { html, nothing, type TemplateResult } from 'lit-html';
import type { Form } from '../../bookings/forms/form.ts';
import { t } from '../../words/texts.ts';

export interface FieldOptions {
  readonly pointer: string;
  readonly label: string;
  readonly help?: string | TemplateResult;
  readonly required?: boolean;
  /** Takes the whole width of its section. */
  readonly wide?: boolean;
}

/** The attributes that tie a control to its label, help and faults. */
export interface Control {
  readonly id: string;
  readonly describedBy: string;
  /** Absent while valid. */
  readonly invalid: 'true' | typeof nothing;
}

export const idOf = (pointer: string): string => `field${pointer.replace(/[^a-zA-Z0-9]/g, '-')}`;

const controlOf = (form: Form, pointer: string): Control => {
  const id = idOf(pointer);
  return { id, describedBy: `${id}-help ${id}-faults`, invalid: form.faultsAt(pointer).length > 0 ? 'true' : nothing };
};

const notes = (form: Form, { pointer, help }: FieldOptions): TemplateResult => {
  const id = idOf(pointer);
  return html`
    <small class="help" id="${id}-help">${help ?? nothing}</small>
    <div class="field-faults" id="${id}-faults">${form.faultsAt(pointer).map((fault) => html`<p>${fault}</p>`)}</div>
  `;
};

const mark = (required: boolean | undefined): TemplateResult | typeof nothing =>
  required ? html`<span class="required" title=${t`required`}> *</span>` : nothing;

/** One control under one label. */
export const field = (form: Form, options: FieldOptions, control: (control: Control) => TemplateResult): TemplateResult => html`
  <div class="field ${options.wide ? 'wide' : ''}">
    <label for=${idOf(options.pointer)}>${options.label}${mark(options.required)}</label>
    ${control(controlOf(form, options.pointer))}${notes(form, options)}
  </div>
`;

/** Several controls that together are one field. */
export const fieldGroup = (form: Form, options: FieldOptions, controls: (control: Control) => TemplateResult): TemplateResult => html`
  <fieldset class="field ${options.wide ? 'wide' : ''}" aria-describedby="${idOf(options.pointer)}-help ${idOf(options.pointer)}-faults">
    <legend>${options.label}${mark(options.required)}</legend>
    ${controls(controlOf(form, options.pointer))}${notes(form, options)}
  </fieldset>
`;
