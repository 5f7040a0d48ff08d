import { html, nothing, type TemplateResult } from 'lit-html';

export interface Column<T> {
  readonly label: string;
  readonly cell: (row: T) => TemplateResult | string | number;
  readonly numeric?: boolean;
  /** Hidden on narrow screens. */
  readonly minor?: boolean;
}

export interface TableOptions<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Buttons at the end of a row. */
  readonly actions?: (row: T) => TemplateResult;
  readonly rowClass?: (row: T) => string;
}

/** Text of a cell whose lines are not broken: a date, a state. */
export const unbroken = (text: string | TemplateResult): TemplateResult => html`<span class="unbroken">${text}</span>`;

/** A table; on narrow screens a list of cards. The roles keep it a table for screen readers. */
export const table = <T>({ caption, columns, rows, actions, rowClass }: TableOptions<T>): TemplateResult => html`
  <div class="table-frame">
    <table role="table" aria-label=${caption}>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(({ label, numeric }) => html`<th role="columnheader" scope="col" class=${numeric ? 'numeric' : ''}>${label}</th>`)}
          ${actions ? html`<th role="columnheader" scope="col"><span class="unseen">Actions</span></th>` : nothing}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row" class=${rowClass?.(row) ?? ''}>
              ${columns.map(
                ({ label, cell, numeric, minor }) =>
                  html`<td role="cell" data-label=${label} class="${numeric ? 'numeric' : ''} ${minor ? 'minor' : ''}">${cell(row)}</td>`,
              )}
              ${actions ? html`<td role="cell" class="row-actions">${actions(row)}</td>` : nothing}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>
`;
