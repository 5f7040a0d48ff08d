import { html, type TemplateResult } from 'lit-html';

export interface ChipsOptions {
  readonly values: readonly string[];
  readonly labelOf?: (value: string) => string;
  readonly onRemove: (value: string) => void;
}

/** Chosen values, each with a button that removes it. */
export const chips = ({ values, labelOf = (value) => value, onRemove }: ChipsOptions): TemplateResult =>
  values.length === 0
    ? html``
    : html`<ul class="chips">
        ${values.map(
          (value) =>
            html`<li>
              <span>${labelOf(value)}</span
              ><button type="button" class="chip-remove" aria-label="Remove ${labelOf(value)}" @click=${() => onRemove(value)}>×</button>
            </li>`,
        )}
      </ul>`;
