import { html, nothing, type TemplateResult } from 'lit-html';
import type { Answer, Problem } from '../api/wire.ts';
import { faultWords, problemWords } from '../words/sign-in-words.ts';
import { t } from '../words/texts.ts';

export interface TypedField {
  readonly name: string;
  readonly label: string;
  readonly type: 'email' | 'password' | 'text';
  readonly autocomplete: string;
  readonly value?: string | undefined;
  readonly help?: string | TemplateResult;
  readonly readOnly?: boolean;
  readonly mayBeEmpty?: boolean;
}

export type Typed = Readonly<Record<string, string>>;

export interface TypedFormOptions<T> {
  readonly redraw: () => void;
  readonly fields: readonly TypedField[];
  readonly submit: string;
  /** Never rejects. */
  readonly send: (typed: Typed) => Promise<Answer<T>>;
  readonly onSent: (value: T, typed: Typed) => unknown;
  /** What to do instead of showing a problem; undefined: show it. */
  readonly onProblem?: (problem: Problem, typed: Typed) => string | undefined;
  /** Whether the passwords are emptied once they are sent: the form stays. */
  readonly clears?: boolean;
  /** Below the button. */
  readonly more?: () => TemplateResult;
  /** Before the ids of its inputs, where the page has several forms. */
  readonly idPrefix?: string;
}

/**
 * A form whose inputs are read when it is sent: password managers fill them without events. The label
 * and the name of each input are what these look for.
 */
export const createTypedForm = <T>(options: TypedFormOptions<T>): (() => TemplateResult) => {
  const { redraw, fields, submit: label, send, onSent, onProblem = problemWords, clears = false, more = () => nothing } = options;
  const { idPrefix = 'typed' } = options;
  let isSending = false;
  let note: string | undefined;
  let faults: Readonly<Record<string, string>> = {};
  let isShown = false;

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending) return;
    const form = event.currentTarget as HTMLFormElement;
    const typed: Typed = Object.fromEntries(fields.map(({ name }) => [name, (form.elements.namedItem(name) as HTMLInputElement).value]));
    const missing = fields.filter(({ name, readOnly, mayBeEmpty }) => !readOnly && !mayBeEmpty && typed[name]?.trim() === '');
    faults = Object.fromEntries(missing.map(({ name, label: of }) => [name, t`${of} is needed.`]));
    if (missing.length === 0) {
      isSending = true;
      redraw();
      const answer = await send(typed);
      isSending = false;
      if (answer.ok) {
        note = undefined;
        if (clears) for (const secret of form.querySelectorAll<HTMLInputElement>('[autocomplete$="-password"]')) secret.value = '';
        onSent(answer.value, typed);
        return redraw();
      }
      faults = Object.fromEntries(
        answer.problem.errors.flatMap((fault) => {
          const field = fields.find(({ name }) => fault.pointer === `/${name}`);
          return field ? [[field.name, faultWords(fault, field.label)]] : [];
        }),
      );
      note = Object.keys(faults).length > 0 ? undefined : onProblem(answer.problem, typed);
    } else note = undefined;
    redraw();
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"], .note')?.focus());
  };

  const input = ({
    name,
    label: of,
    type,
    autocomplete,
    value,
    help,
    readOnly = false,
    mayBeEmpty = false,
  }: TypedField): TemplateResult => {
    const [id, fault] = [`${idPrefix}-${name}`, faults[name]];
    return html`<div class="field">
      <label for=${id}>${of}</label>
      <input
        id=${id}
        name=${name}
        type=${type === 'password' && isShown ? 'text' : type}
        autocomplete=${autocomplete}
        autocapitalize="none"
        spellcheck="false"
        value=${value ?? ''}
        ?readonly=${readOnly}
        aria-required=${readOnly || mayBeEmpty ? nothing : 'true'}
        aria-invalid=${fault === undefined ? nothing : 'true'}
        aria-describedby="${id}-help ${id}-fault"
      />
      <small class="help" id="${id}-help">${help ?? nothing}</small>
      <div class="field-faults" id="${id}-fault">${fault === undefined ? nothing : html`<p>${fault}</p>`}</div>
    </div>`;
  };
  const toggle = (): void => {
    isShown = !isShown;
    redraw();
  };

  return () => html`
    <form novalidate class="typed-form" @submit=${(event: SubmitEvent) => void submit(event)}>
      <div role="alert">${note === undefined ? nothing : html`<div class="note bad" tabindex="-1">${note}</div>`}</div>
      ${fields.map(input)}
      ${
        fields.some(({ type }) => type === 'password')
          ? html`<label class="show-password"
              ><input type="checkbox" .checked=${isShown} @change=${toggle} /> ${t`Show what is typed`}</label
            >`
          : nothing
      }
      <button type="submit" aria-busy=${isSending ? 'true' : 'false'} ?disabled=${isSending}>${label}</button>
      ${more()}
    </form>
  `;
};
