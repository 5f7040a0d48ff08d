import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { columnHead, columnLook, type Column, type HeadSize, type Sorting } from './table.ts';
import { widthHandle } from './width-handle.ts';
import { t } from '../words/texts.ts';

/** A column of a table with a fixed layout. S: the sums of its rows. */
export interface LongColumn<T, S> extends Column<T> {
  readonly id: string;
  /** Pixels; of a column that grows, the least. */
  readonly width: number;
  /** Its part of what is left of the width. */
  readonly grow?: number;
  /** What a row of sums shows. */
  readonly sum?: (sums: S) => TemplateResult | string | number;
}

/** A line of the table: a row, or the head of a group of rows. */
export type Line<T, S> =
  { readonly key: string; readonly row: T | undefined } | { readonly key: string; readonly label: TemplateResult; readonly sums: S };

export interface LongTableOptions<T, S> {
  readonly caption: string;
  readonly columns: readonly LongColumn<T, S>[];
  /** Those in view, in their order. */
  readonly lines: readonly Line<T, S>[];
  /** The first of them among all lines. */
  readonly first: number;
  readonly count: number;
  /** Pixels of a line. */
  readonly lineHeight: number;
  readonly sorting: Sorting;
  readonly actions: (row: T) => TemplateResult;
  readonly total: { readonly label: TemplateResult | string; readonly sums: S } | undefined;
  /** By the ids of columns, in pixels; undefined: on a narrow screen, where rows are cards. */
  readonly widths: Readonly<Record<string, number>> | undefined;
  /** Sets the width of a column; undefined: as usual. */
  readonly resize: (id: string, width: number | undefined) => void;
}

export const ACTIONS_WIDTH = 46;

/** A table of many rows, of which those in view are drawn; on narrow screens a list of cards. */
export const longTable = <T, S>(options: LongTableOptions<T, S>): TemplateResult => {
  const { caption, columns, lines, first, count, lineHeight, widths, total } = options;
  const space = (lineCount: number): TemplateResult | typeof nothing =>
    widths && lineCount > 0 ? html`<tr class="space" aria-hidden="true" .style=${`height:${lineCount * lineHeight}px`}></tr>` : nothing;
  const style = widths ? `width:${columns.reduce((sum, { id }) => sum + (widths[id] ?? 0), ACTIONS_WIDTH)}px` : '';
  return html`<table role="table" class="long" aria-label=${caption} aria-rowcount=${count + 1} .style=${style}>
    <thead role="rowgroup">
      <tr role="row" aria-rowindex="1">
        ${columns.map((column) => columnHead(column, options.sorting, widths && sizeOf(column, widths[column.id] ?? 0, options.resize)))}
        <th role="columnheader" scope="col" class="row-actions"><span class="unseen">${t`Actions`}</span></th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${space(first)}
      ${repeat(
        lines,
        ({ key }) => key,
        (line, i) => drawLine(options, line, first + i),
      )}
      ${space(count - first - lines.length)}
    </tbody>
    ${
      total &&
      html`<tfoot role="rowgroup">
        <tr role="row" class="sum">
          ${sumCells(columns, total.label, total.sums)}
        </tr>
      </tfoot>`
    }
  </table>`;
};

const sizeOf = <T, S>({ id, label, check }: LongColumn<T, S>, width: number, resize: LongTableOptions<T, S>['resize']): HeadSize => ({
  width,
  handle: check ? nothing : widthHandle({ label, width, resize: (to) => resize(id, to) }),
});

const drawLine = <T, S>({ columns, actions }: LongTableOptions<T, S>, line: Line<T, S>, at: number): TemplateResult => {
  if ('sums' in line)
    return html`<tr role="row" class="group" data-line=${at} aria-rowindex=${at + 2}>
      ${sumCells(columns, line.label, line.sums)}
    </tr>`;
  const { row } = line;
  if (row === undefined)
    return html`<tr role="row" class="unread" data-line=${at} aria-rowindex=${at + 2}>
      <td role="cell" colspan=${columns.length + 1}><span class="unseen">${t`Loading`}</span></td>
    </tr>`;
  return html`<tr role="row" class="record" data-line=${at} aria-rowindex=${at + 2}>
    ${columns.map((column) => html`<td role="cell" data-label=${column.label} class=${columnLook(column)}>${column.cell(row)}</td>`)}
    <td role="cell" class="row-actions">${actions(row)}</td>
  </tr>`;
};

/** The label has the room up to the first sum. */
const sumCells = <T, S>(columns: readonly LongColumn<T, S>[], label: TemplateResult | string, sums: S): TemplateResult => {
  const at = columns[0]?.check ? 1 : 0;
  const firstSum = columns.findIndex(({ sum }) => sum);
  const end = firstSum < 0 ? columns.length : firstSum;
  return html`${at > 0 ? html`<td role="cell"></td>` : nothing}
    <th role="rowheader" scope="row" colspan=${Math.max(1, end - at)}>${label}</th>
    ${columns
      .slice(end)
      .map((column) => html`<td role="cell" data-label=${column.label} class=${columnLook(column)}>${column.sum?.(sums) ?? nothing}</td>`)}
    <td role="cell"></td>`;
};

/** The widths of columns in a frame: those that a person has set, and of the others what they need and a part of what is left. */
export const fitWidths = <T, S>(
  columns: readonly LongColumn<T, S>[],
  set: Readonly<Record<string, number>>,
  frameWidth: number,
): Readonly<Record<string, number>> => {
  const least = columns.map(({ id, width }) => set[id] ?? width);
  const parts = columns.map(({ id, grow = 0 }) => (set[id] === undefined ? grow : 0));
  const left = Math.max(0, frameWidth - ACTIONS_WIDTH - least.reduce((sum, each) => sum + each, 0));
  const whole = parts.reduce((sum, each) => sum + each, 0);
  return Object.fromEntries(columns.map(({ id }, i) => [id, Math.floor(least[i]! + (whole > 0 ? (left * parts[i]!) / whole : 0))]));
};
