import { html, nothing, type TemplateResult } from 'lit-html';
import type { ReportFields } from '../../src/reports/report-api.ts';
import { input } from '../parts/fields/input.ts';
import { button, toggleButton } from '../parts/parts.ts';
import { select } from '../parts/select.ts';
import { recordChoice } from '../bookings/lists/record-choice.ts';
import type { Page } from '../page.ts';
import type { Store } from '../api/store.ts';
import { titleOf } from '../words/kinds.ts';
import { combines, toggleDimension, toggleFilter, toggleMetric, type ReportChoice } from './report-choice.ts';
import { isoDateIn } from '../words/dates.ts';
import { t } from '../words/texts.ts';

export interface ControlsOptions {
  readonly fields: ReportFields;
  readonly choice: ReportChoice;
  readonly page: Page;
  /** The dimension that the next filter is for; '' none. */
  readonly adding: string;
  readonly change: (choice: ReportChoice) => void;
  readonly add: (dimension: string) => void;
}

/** Days, dimensions, metrics and filters of a report. Each change takes effect on its own. */
export const reportControls = (options: ControlsOptions): TemplateResult => {
  const { fields, choice, change } = options;
  const dayInput = (label: string, name: 'from' | 'to') =>
    input({ type: 'date', label, value: choice[name], onChange: (typed) => change({ ...choice, [name]: typed }) });
  const chips = (
    label: string,
    all: readonly { readonly name: string; readonly label: string; readonly help?: string }[],
    chosen: readonly string[],
    toggle: (name: string) => ReportChoice,
  ): TemplateResult =>
    html`<div class="report-line" role="group" aria-label=${label}>
      <span class="report-label">${label}</span>
      <div class="toggles">
        ${all.map(({ name, label: text, help }) => {
          const isOn = chosen.includes(name);
          const next = toggle(name);
          const isPossible = isOn || combines(fields, next);
          const title = isPossible ? help : t`Does not combine with what is chosen`;
          return toggleButton(text, isOn, () => change(next), { title, isDisabled: !isPossible });
        })}
      </div>
    </div>`;
  return html`<section class="card report-controls" aria-label=${t`What the report shows`}>
    <div class="report-line">
      <span class="report-label">${t`Days`}</span>
      <div class="row">
        ${select(t`Days`, choice.range, [...fields.ranges.map(({ name, label }) => [name, label] as const), ['', t`From … to`]], (range) => change(range === '' ? { ...choice, range, ...thisWeek() } : { ...choice, range, from: '', to: '' }))}
        ${choice.range === '' ? html`${dayInput(t`From`, 'from')}${dayInput(t`To`, 'to')}` : nothing}
      </div>
    </div>
    ${chips(t`Rows`, fields.dimensions, choice.groupBy, (name) => toggleDimension(choice, name))}
    ${chips(t`Figures`, fields.metrics, choice.metrics, (name) => toggleMetric(fields, choice, name))} ${filters(options)}
  </section>`;
};

const thisWeek = (): { readonly from: string; readonly to: string } => {
  return { from: isoDateIn(-6), to: isoDateIn(0) };
};

/** What a filter's value is called: the name of its record. */
export const valueName = (fields: ReportFields, store: Store, dimension: string, value: string): string => {
  const kind = fields.dimensions.find(({ name }) => name === dimension)?.table;
  const record = kind ? store.find(kind, value) : undefined;
  return kind && record ? titleOf(kind, record) : value.replaceAll('_', ' ');
};

const filters = ({ fields, choice, page, adding, change, add }: ControlsOptions): TemplateResult => {
  const chosen = Object.entries(choice.filters).flatMap(([dimension, values]) => values.map((value) => [dimension, value] as const));
  const labelOf = (dimension: string): string => fields.dimensions.find(({ name }) => name === dimension)?.label ?? dimension;
  const possible = fields.dimensions.filter(
    ({ name, filter }) => filter && combines(fields, { ...choice, filters: { ...choice.filters, [name]: ['1'] } }),
  );
  return html`<div class="report-line">
    <span class="report-label">${t`Only`}</span>
    <div class="row filter-row">
      ${
        chosen.length > 0
          ? html`<ul class="chips">
              ${chosen.map(([dimension, value]) => {
                const text = `${labelOf(dimension)}: ${valueName(fields, page.store, dimension, value)}`;
                const remove = () => change(toggleFilter(choice, dimension, value));
                return html`<li><span>${text}</span>${button('×', remove, 'chip-remove', t`Remove ${text}`)}</li>`;
              })}
            </ul>`
          : nothing
      }
      ${select(t`Add a filter`, adding, [['', t`Add a filter …`], ...possible.map(({ name, label }) => [name, label] as const)], add)}
      ${adding === '' ? nothing : valueInput(fields, page, adding, (value) => change(toggleFilter(choice, adding, value)))}
    </div>
  </div>`;
};

/** Records by name; of other dimensions, text. */
const valueInput = (fields: ReportFields, page: Page, dimension: string, take: (value: string) => void): TemplateResult => {
  const found = fields.dimensions.find(({ name }) => name === dimension);
  const label = found?.label ?? dimension;
  if (found?.table) {
    const kind = found.table;
    return recordChoice(page, { kind, label, value: '', choose: (value) => value !== '' && take(value) });
  }
  const onChange = (typed: string) => typed.trim() !== '' && take(typed.trim());
  return input({ value: '', label, placeholder: EXAMPLES[dimension], onChange });
};

const EXAMPLES: Readonly<Record<string, string>> = {
  ...{ size: '300x250', country: 'DE', region: 'US-CA', device: 'mobile', browser: 'Firefox', reason: 'spider', deal: 'spring-sale' },
};
