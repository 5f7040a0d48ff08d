import { html, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';

/** Values, each with its words. */
export type Choices<T extends string = string> = readonly (readonly [value: T, words: string])[];

/** One of many, outside of a form or in a row of a field. @param label for screen readers */
export const select = <T extends string>(
  label: string,
  value: T,
  choices: Choices<T>,
  onChange: (value: T) => void,
  look = '',
): TemplateResult =>
  html`<select
    class=${look}
    aria-label=${label}
    @change=${(event: Event) => {
      const chosen = choices[(event.target as HTMLSelectElement).selectedIndex];
      if (chosen) onChange(chosen[0]);
    }}
  >
    ${choices.map(([name, words]) => html`<option value=${name} .selected=${live(name === value)}>${words}</option>`)}
  </select>`;
