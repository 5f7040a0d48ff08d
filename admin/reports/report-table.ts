import { html, nothing, type TemplateResult } from 'lit-html';
import type { ReportAnswer } from '../../src/reports/report-api.ts';
import { dateWithWeekday, hour, monthAndYear } from '../words/dates.ts';
import { count, money, percent } from '../words/formats.ts';
import type { ReportChoice } from './report-choice.ts';
import { sayWords } from '../words/service-words.ts';
import { t } from '../words/texts.ts';

type Column = ReportAnswer['columns'][number];
type Value = string | number | null | undefined;

export const isFigure = ({ kind }: Column): boolean => kind === 'count' || kind === 'share' || kind === 'money';

/** @param currency of an amount; null: it is a sum over several, which there is not */
export const showValue = (value: Value, column: Column, currency: string | null): string => {
  const { kind, name } = column;
  if (isFigure(column) && value === null) return '–';
  if (kind === 'count') return count(Number(value ?? 0));
  if (kind === 'share') return percent(Number(value ?? 0));
  if (kind === 'money') return currency === null ? '–' : money(Number(value ?? 0), currency);
  if (value === null || value === undefined || value === '') return name === 'reason' ? t`none` : t`unknown`;
  if (kind === 'day') return dateWithWeekday(String(value));
  if (kind === 'month') return monthAndYear(String(value));
  if (kind === 'hour') return hour(String(value));
  return String(value).replaceAll('_', ' ');
};

/** Days are chosen, and are no filter. */
const UNFILTERED: readonly string[] = ['day', 'hour', 'month'];

export interface ReportTableOptions {
  readonly answer: ReportAnswer;
  readonly choice: ReportChoice;
  readonly sort: (column: string) => void;
  /** Narrows the report to one value. */
  readonly only: (dimension: string, value: string) => void;
}

/** The rows of a report under their totals. Heads sort; values of dimensions become filters. */
export const reportTable = ({ answer, choice, sort, only }: ReportTableOptions): TemplateResult => {
  const { rows, totals, totals_by_currency: byCurrency } = answer;
  const currencyOf = (row: Readonly<Record<string, Value>>): string | null =>
    typeof row['currency'] === 'string' ? row['currency'] : answer.currency;
  const columns = sayWords(answer.columns);
  // Ids are shown where there is no name for them.
  const shown = columns.filter(({ kind }) => kind !== 'id');
  const idOf = ({ name }: Column, row: Readonly<Record<string, Value>>): Value =>
    row[columns.some((one) => one.name === `${name}_id`) ? `${name}_id` : name];
  const sorted = choice.sort.replace(/^-/, '');
  const ariaSort = (name: string) => (name !== sorted ? nothing : choice.sort.startsWith('-') ? 'descending' : 'ascending');
  const cell = (column: Column, row: Readonly<Record<string, Value>>): TemplateResult | string => {
    if (isFigure(column)) return showValue(row[column.name], column, currencyOf(row));
    const id = idOf(column, row);
    const text =
      column.kind === 'name' && !row[column.name] ? (id == null ? t`none` : t`#${id}, deleted`) : showValue(row[column.name], column, null);
    if (id === null || id === undefined || UNFILTERED.includes(column.kind)) return html`<span class="unbroken">${text}</span>`;
    const dimension = column.name.replace(/_id$/, '');
    return html`<button type="button" class="cell-link" title=${t`Show only this`} @click=${() => only(dimension, String(id))}>
      ${text}
    </button>`;
  };
  return html`<div class="report-table">
    <table role="table" aria-label=${t`Report`}>
      <thead role="rowgroup">
        <tr role="row">
          ${shown.map(
            (column) =>
              html`<th role="columnheader" scope="col" class=${isFigure(column) ? 'numeric' : ''} aria-sort=${ariaSort(column.name)}>
                <button type="button" class="sort" @click=${() => sort(column.name)}>
                  ${column.label}<span aria-hidden="true">${column.name !== sorted ? '' : choice.sort.startsWith('-') ? ' ↓' : ' ↑'}</span>
                </button>
              </th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${(byCurrency.length > 0 ? byCurrency : [totals]).map(
          (sum) =>
            html`<tr role="row" class="sum">
              ${shown.map(
                (column, i) =>
                  html`<td role="cell" data-label=${column.label} class=${isFigure(column) ? 'numeric' : ''}>
                    ${isFigure(column) ? showValue(sum[column.name], column, currencyOf(sum)) : i === 0 ? t`All` : column.name === 'currency' ? (sum['currency'] ?? '') : ''}
                  </td>`,
              )}
            </tr>`,
        )}
        ${rows.map(
          (row) =>
            html`<tr role="row">
              ${shown.map((column) => html`<td role="cell" data-label=${column.label} class=${isFigure(column) ? 'numeric' : ''}>${cell(column, row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
};
