import { html, nothing, type TemplateResult } from 'lit-html';
import { button } from '../parts.ts';
import { t } from '../../words/texts.ts';

export interface ValueChipsOptions {
  readonly values: readonly string[];
  readonly labelOf: (value: string) => string;
  readonly write: (values: readonly string[]) => void;
}

/** The values of a field that holds several, each with a button that removes it. */
export const valueChips = ({ values, labelOf, write }: ValueChipsOptions): TemplateResult | typeof nothing =>
  values.length === 0
    ? nothing
    : html`<ul class="chips">
        ${values.map(
          (value) =>
            html`<li>
              <span>${labelOf(value)}</span
              >${button('×', () => write(values.filter((other) => other !== value)), 'chip-remove', t`Remove ${labelOf(value)}`)}
            </li>`,
        )}
      </ul>`;
