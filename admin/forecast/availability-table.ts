import { html, type TemplateResult } from 'lit-html';
import { dayAndMonth } from '../words/dates.ts';
import { linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { shareSold, type AvailabilityCell, type AvailabilityGrid, type Group, type Period, type Span } from './availability-grid.ts';
import { about, shareWords } from './forecast-words.ts';

export interface ChosenCell {
  /** Of its line; undefined: all of them. */
  readonly key: string | undefined;
  readonly cell: AvailabilityCell;
}

export interface AvailabilityTableOptions {
  readonly grid: AvailabilityGrid;
  /** The words of a line. */
  readonly nameOf: (key: string) => string;
  readonly span: Span;
  readonly chosen: ChosenCell | undefined;
  readonly choose: (cell: ChosenCell) => void;
}

/** What lines are of, as a choice, as the title of the table and above the lines. */
export const GROUP_WORDS: Readonly<Record<Group, { readonly choice: string; readonly title: string; readonly head: string }>> = {
  placement: { choice: t`By placement`, title: t`Availability by placement`, head: t`Placement` },
  country: { choice: t`By country`, title: t`Availability by country`, head: t`Country` },
  size: { choice: t`By size`, title: t`Availability by size`, head: t`Size` },
  targeting: { choice: t`By targeting`, title: t`Availability by targeting`, head: t`Targeting` },
};
/** Shades of what is sold. */
const LEVELS = 5;

export const periodWords = ({ from, to }: Period): string =>
  from === to ? dayAndMonth(from) : `${dayAndMonth(from)} – ${dayAndMonth(to)}`;

/** Lines by weeks or days, shaded by what is sold of them. The arrows move between cells. */
export const availabilityTable = (options: AvailabilityTableOptions): TemplateResult => {
  const { grid, nameOf, span } = options;
  const { title, head } = GROUP_WORDS[grid.by];
  return html`
    <div class="availability ${span}" .style=${`--cells:${grid.periods.length}`} @keydown=${moveByArrow}>
      <table role="table" aria-label=${title}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">${head}</th>
            ${grid.periods.map(
              (period, i) =>
                html`<th role="columnheader" scope="col">
                  <span class=${span === 'days' ? 'unseen' : ''}>${periodWords(period)}</span>
                  ${span === 'days' ? html`<span aria-hidden="true">${isLabelled(period, i) ? dayAndMonth(period.from) : Number(period.from.slice(8))}</span>` : ''}
                </th>`,
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${grid.lines.map(
            ({ key, cells }) =>
              html`<tr role="row" class=${key === undefined ? 'all' : ''}>
                <th role="rowheader" scope="row">${lineHead(grid.by, key, nameOf)}</th>
                ${cells.map((cell) => html`<td role="cell">${cellButton(key === undefined ? t`All of them` : nameOf(key), { key, cell }, options)}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
};

/** Kinds whose lines are records with a page. */
const KINDS = { placement: 'placements', targeting: 'targetings' } as const;

const lineHead = (by: Group, key: string | undefined, nameOf: (key: string) => string): TemplateResult | string => {
  if (key === undefined) return t`All of them`;
  const kind = by === 'placement' || by === 'targeting' ? KINDS[by] : undefined;
  return kind ? html`<a href=${linkTo(kind, key)}>${nameOf(key)}</a>` : nameOf(key);
};

/** The first day of a month and of the grid have its name. */
const isLabelled = ({ from }: Period, at: number): boolean => at === 0 || from.endsWith('-01');

const isChosen = (chosen: ChosenCell | undefined, { key, cell }: ChosenCell): boolean =>
  chosen !== undefined && chosen.key === key && chosen.cell.from === cell.from;

const cellButton = (name: string, of: ChosenCell, { span, chosen, choose }: AvailabilityTableOptions): TemplateResult => {
  const { cell } = of;
  const share = shareSold(cell);
  const words =
    cell.available === 0 ? t`nothing is expected` : t`${shareWords(share)} sold, ${about(cell.free)} of ${about(cell.available)} free`;
  return html`<button
    type="button"
    class="cell level-${cell.available === 0 ? 'none' : Math.min(LEVELS, Math.floor(share * LEVELS + 0.5))}"
    aria-pressed=${String(isChosen(chosen, of))}
    title="${name}, ${periodWords(cell)}: ${words}"
    @click=${() => choose(of)}
  >
    <span class="unseen">${name}, </span><span class="cell-day">${periodWords(cell)}</span> ${cellWords(cell, share, span)}
  </button>`;
};

const cellWords = ({ available, free }: AvailabilityCell, share: number, span: Span): TemplateResult => {
  if (available === 0) return html`<b>–</b>`;
  return span === 'days'
    ? html`<b>${Math.round(100 * share)}</b><span class="unseen">% ${t`sold`}, ${t`${about(free)} free`}</span>`
    : html`<b>${shareWords(share)}</b> <span class="unseen">${t`sold`}</span> <span>${t`${about(free)} free`}</span>`;
};

/** Where an arrow leads from a cell: [rows, columns]. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

const moveByArrow = (event: KeyboardEvent): void => {
  const step = STEPS[event.key];
  const cell = event.target instanceof Element ? event.target.closest<HTMLTableCellElement>('td') : null;
  if (!step || !cell) return;
  event.preventDefault();
  const row = cell.parentElement as HTMLTableRowElement;
  const next = (row.parentElement as HTMLTableSectionElement).rows[row.sectionRowIndex + step[0]];
  next?.cells[cell.cellIndex + step[1]]?.querySelector('button')?.focus();
};
