import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page } from '../../page.ts';
import { closeOnEscape, closeOnLeave } from '../../parts/panel.ts';
import { button } from '../../parts/parts.ts';
import type { Kind } from '../../api/wire.ts';
import { titleIn } from '../../words/kinds.ts';
import { filtersOf, type Filter } from './list-filters.ts';
import { recordChoice } from './record-choice.ts';
import { toggled, withFilter, type ListState } from './list-state.ts';
import { t } from '../../words/texts.ts';

export interface ChipsOptions {
  readonly kind: Kind;
  readonly state: ListState;
  readonly change: (state: ListState) => void;
}

/** One chip for each filter of a list: it says what is chosen, and opens to choose. */
export const filterChips = (page: Page, { kind, state, change }: ChipsOptions): TemplateResult | typeof nothing => {
  const filters = filtersOf(kind);
  if (filters.length === 0) return nothing;
  const any = Object.keys(state.filters).length > 0;
  return html`<section class="filter-chips" aria-label=${t`Filters`}>
    ${filters.map((filter) => {
      const value = state.filters[filter.name] ?? '';
      const remove = () => change(withFilter(state, filter.name, ''));
      const words = wordsOf(page, filter, value);
      return html`<span class="filter-chip ${value === '' ? '' : 'on'}">
        <details class="panel" name="filter" @keydown=${closeOnEscape} @focusout=${closeOnLeave}>
          <summary>${filter.label}${words ? html`: <b>${words}</b>` : nothing}</summary>
          <div class="filter-panel">${panel(page, { kind, state, change }, filter, value)}</div>
        </details>
        ${value === '' ? nothing : button('×', remove, 'chip-remove', t`Remove the filter ${filter.label}`)}
      </span>`;
    })}
    ${any ? button(t`Clear`, () => change({ ...state, filters: {} }), 'quiet', t`Clear all filters`) : nothing}
  </section>`;
};

/** The names of the chosen values. */
const wordsOf = ({ store }: Page, { choices, kind }: Filter, value: string): string => {
  if (value === '') return '';
  if (kind) return titleIn(store, kind, value);
  const labels = value.split(',').map((one) => choices?.find(([name]) => name === one)?.[1] ?? one);
  return labels.length > 2 ? t`${labels[0]} and ${labels.length - 1} more` : labels.join(', ');
};

const panel = (page: Page, { state, change }: ChipsOptions, filter: Filter, value: string): TemplateResult => {
  const { name, label, kind, choices = [] } = filter;
  if (kind) {
    const choose = (id: string): void => change(withFilter(state, name, id));
    return recordChoice(page, { kind, label, value, placeholder: t`Type to search …`, choose });
  }
  const chosen = value.split(',');
  return html`<fieldset>
    <legend class="unseen">${label}</legend>
    ${choices.map(
      ([one, text]) =>
        html`<label
          ><input type="checkbox" .checked=${chosen.includes(one)} @change=${() => change(toggled(state, name, one))} />${text}</label
        >`,
    )}
  </fieldset>`;
};
