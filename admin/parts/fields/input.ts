import { html, noChange, nothing, type TemplateResult } from 'lit-html';
import { Directive, directive, type PropertyPart } from 'lit-html/directive.js';
import { live } from 'lit-html/directives/live.js';
import type { Control } from './field.ts';

export interface InputOptions {
  readonly value: string;
  readonly type?: 'text' | 'date' | 'time' | 'search';
  /** Of a field; other inputs have a label for screen readers. */
  readonly control?: Partial<Control>;
  readonly label?: string;
  readonly title?: string;
  readonly placeholder?: string | undefined;
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'url' | undefined;
  readonly maxLength?: number | undefined;
  readonly required?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  /** While typing. */
  readonly onInput?: (typed: string) => void;
  /** When the input is left, or a date is chosen. */
  readonly onChange?: (typed: string) => void;
}

/** Inputs with a text that is not handed on yet. */
const unfinished = new WeakSet<Element>();

/** The value, unless the person is typing another: the page is drawn again for many reasons, such as an answer that arrives. */
const valueUnlessTyping = directive(
  class extends Directive {
    override update({ element }: PropertyPart, [value]: [string]): unknown {
      return unfinished.has(element) && element === document.activeElement ? noChange : this.render(value);
    }

    override render(value: string): unknown {
      return live(value);
    }
  },
);

/** A control under its label, in a row of a field. */
export const smallField = (label: string, control: TemplateResult): TemplateResult =>
  html`<label class="small-field"><span>${label}</span>${control}</label>`;

/** One line of input. It shows `value` even when another was typed meanwhile, and was handed on. */
export const input = (options: InputOptions): TemplateResult => {
  const { value, type = 'text', control, label, title, placeholder, inputMode, maxLength, required, disabled, onInput, onChange } = options;
  const typed = (event: Event): string => (event.target as HTMLInputElement).value;
  const onTyping = (event: Event): void => {
    if (onInput) onInput(typed(event));
    else unfinished.add(event.target as HTMLInputElement);
  };
  const onTyped = (event: Event): void => {
    unfinished.delete(event.target as HTMLInputElement);
    onChange?.(typed(event));
  };
  return html`<input
    id=${control?.id ?? nothing}
    type=${type}
    autocomplete="off"
    spellcheck="false"
    inputmode=${inputMode ?? nothing}
    placeholder=${placeholder ?? nothing}
    maxlength=${maxLength ?? nothing}
    step=${type === 'time' ? '1' : nothing}
    aria-label=${label ?? nothing}
    title=${title ?? nothing}
    aria-describedby=${control?.describedBy ?? nothing}
    aria-invalid=${control?.invalid ?? nothing}
    ?required=${required}
    ?disabled=${disabled}
    .value=${valueUnlessTyping(value)}
    @input=${onTyping}
    @change=${onTyped}
  />`;
};
