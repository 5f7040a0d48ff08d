import { html, nothing, type TemplateResult } from 'lit-html';
import { t } from '../words/texts.ts';
import { select } from './select.ts';

export interface Column<T> {
  readonly label: string;
  readonly cell: (row: T) => TemplateResult | string | number;
  readonly numeric?: boolean;
  /** Sentences: on narrow screens below their label, from the left. */
  readonly prose?: boolean;
  /** Hidden on narrow screens. */
  readonly minor?: boolean;
  /** Holds a check box: narrow, its label for screen readers only. */
  readonly check?: boolean;
  /** In place of the label of its head: a check box for all rows. */
  readonly all?: () => TemplateResult;
  /** Shown on wide screens only. */
  readonly wide?: boolean;
  /** A class of its cells. */
  readonly look?: string;
  /** The name by which the service sorts it; with `-` in front, its first click shows the largest first. */
  readonly sort?: string;
}

/** How a table is sorted: by a click on a head. */
export interface Sorting {
  /** The name of a column, with `-` in front for the largest first; '': in no shown order. */
  readonly by: string;
  readonly choose: (sort: string) => void;
}

export interface TableOptions<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Buttons at the end of a row. */
  readonly actions?: (row: T) => TemplateResult;
  readonly rowClass?: (row: T) => string;
  readonly sorting?: Sorting;
}

/** An e-mail address, or the name of a token, which breaks where its parts begin. */
export const address = (text: string): TemplateResult =>
  html`<span class="address">${text.split(/(?=[@.])/).map((part, i) => (i === 0 ? part : html`<wbr />${part}`))}</span>`;

/** Text of a cell whose lines are not broken: a date, a state. */
export const unbroken = (text: string | TemplateResult): TemplateResult => html`<span class="unbroken">${text}</span>`;

const nameOf = (sort: string): string => sort.replace(/^-/, '');
const reversed = (sort: string): string => (sort.startsWith('-') ? nameOf(sort) : `-${sort}`);

/** The classes of the cells of a column. */
export const columnLook = <T>({ numeric, prose, check, minor, wide, look }: Column<T>): string =>
  [look, numeric && 'numeric', prose && 'prose', check && 'check', minor && 'minor', wide && 'wide'].filter(Boolean).join(' ');

/** How wide a head is, and what changes that. */
export interface HeadSize {
  /** Pixels. */
  readonly width: number;
  readonly handle: TemplateResult | typeof nothing;
}

/** The head of a column: a click on it sorts. */
export const columnHead = <T>(column: Column<T>, sorting: Sorting | undefined, size?: HeadSize): TemplateResult => {
  const style = size ? `width:${size.width}px` : '';
  const { sort, check } = column;
  const label = check ? (column.all?.() ?? html`<span class="unseen">${column.label}</span>`) : column.label;
  if (!sort || !sorting)
    return html`<th role="columnheader" scope="col" class=${columnLook(column)} .style=${style}>${label}${size?.handle}</th>`;
  const isSorted = nameOf(sorting.by) === nameOf(sort);
  const isDescending = isSorted && sorting.by.startsWith('-');
  return html`<th
    role="columnheader"
    scope="col"
    class=${columnLook(column)}
    .style=${style}
    aria-sort=${isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}
  >
    <button type="button" class="sort" @click=${() => sorting.choose(isSorted ? reversed(sorting.by) : sort)}>
      ${label}<span class="sort-mark" aria-hidden="true">${isSorted ? (isDescending ? '↓' : '↑') : '↕'}</span>
    </button>
    ${size?.handle}
  </th>`;
};

/** A table; on narrow screens a list of cards. The roles keep it a table for screen readers. */
export const table = <T>({ caption, columns, rows, actions, rowClass, sorting }: TableOptions<T>): TemplateResult => html`
  <div class="table-frame">
    <table role="table" aria-label=${caption}>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map((column) => columnHead(column, sorting))}
          ${actions ? html`<th role="columnheader" scope="col"><span class="unseen">${t`Actions`}</span></th>` : nothing}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row" class=${rowClass?.(row) ?? ''}>
              ${columns.map((column) => html`<td role="cell" data-label=${column.label} class=${columnLook(column)}>${column.cell(row)}</td>`)}
              ${actions ? html`<td role="cell" class="row-actions">${actions(row)}</td>` : nothing}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>
`;

/** The same choice as the heads, for screens without them. */
export const sortSelect = <T>(columns: readonly Column<T>[], { by, choose }: Sorting): TemplateResult =>
  select(
    t`Sort by`,
    by,
    [
      ['', t`Oldest first`],
      ...columns.flatMap(({ label, sort }) =>
        sort ? [sort, reversed(sort)].map((value) => [value, `${label} ${value.startsWith('-') ? '↓' : '↑'}`] as const) : [],
      ),
    ],
    choose,
    'sort-select',
  );
