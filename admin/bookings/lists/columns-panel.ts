import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { repeat } from 'lit-html/directives/repeat.js';
import { closeOnEscape, closeOnLeave } from '../../parts/panel.ts';
import { button } from '../../parts/parts.ts';
import { t } from '../../words/texts.ts';

export interface ColumnsPanelOptions {
  /** All columns that a person may choose. */
  readonly all: readonly { readonly id: string; readonly label: string }[];
  /** The ids of those that are shown, in their order. */
  readonly shown: readonly string[];
  /** Whether a person has set columns or widths. */
  readonly isSet: boolean;
  /** undefined: as usual, with the usual widths. */
  readonly choose: (ids: readonly string[] | undefined) => void;
}

const moved = (ids: readonly string[], at: number, by: number): readonly string[] => {
  const others = ids.toSpliced(at, 1);
  return others.toSpliced(at + by, 0, ids[at]!);
};

/** Chooses and orders the columns of a list. */
export const columnsPanel = ({ all, shown, isSet, choose }: ColumnsPanelOptions): TemplateResult => {
  const chosen = shown.flatMap((id) => all.find((column) => column.id === id) ?? []);
  const others = all.filter(({ id }) => !shown.includes(id));
  const ids = chosen.map(({ id }) => id);
  const move = (at: number, by: number, label: string): TemplateResult | typeof nothing =>
    at + by < 0 || at + by >= ids.length
      ? html`<span class="no-move"></span>`
      : button(
          by < 0 ? '↑' : '↓',
          () => choose(moved(ids, at, by)),
          'quiet',
          by < 0 ? t`${label} further to the left` : t`${label} further to the right`,
        );
  return html`<details class="panel columns-panel" @keydown=${closeOnEscape} @focusout=${closeOnLeave}>
    <summary>${t`Columns`}</summary>
    <div class="filter-panel">
      <fieldset>
        <legend class="unseen">${t`Columns`}</legend>
        ${repeat(
          [...chosen, ...others],
          ({ id }) => id,
          ({ id, label }, at) => {
            const isShown = at < ids.length;
            const toggle = (): void => choose(isShown ? ids.filter((one) => one !== id) : [...ids, id]);
            return html`<div class="column-choice">
              <label><input type="checkbox" .checked=${live(isShown)} @change=${toggle} />${label}</label>
              ${isShown ? html`${move(at, -1, label)}${move(at, 1, label)}` : nothing}
            </div>`;
          },
        )}
      </fieldset>
      ${isSet ? button(t`As usual`, () => choose(undefined), 'quiet') : nothing}
    </div>
  </details>`;
};
