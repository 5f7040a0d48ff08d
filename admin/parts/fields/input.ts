import { html, nothing, type TemplateResult } from 'lit-html';
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

/** One line of input. It shows `value` even when another was typed meanwhile. */
export const input = (options: InputOptions): TemplateResult => {
  const { value, type = 'text', control, label, title, placeholder, inputMode, maxLength, required, disabled, onInput, onChange } = options;
  const typed = (event: Event): string => (event.target as HTMLInputElement).value;
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
    .value=${live(value)}
    @input=${(event: Event) => onInput?.(typed(event))}
    @change=${(event: Event) => onChange?.(typed(event))}
  />`;
};
