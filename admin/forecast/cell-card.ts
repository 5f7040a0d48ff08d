import { html, nothing, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Problem } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { card, loading, problemNote, usageBar } from '../parts/parts.ts';
import { linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { periodWords, type ChosenCell } from './availability-table.ts';
import { about, shareWords } from './forecast-words.ts';

type Booked = Answered<'GET', '/availability/line_items'>;

/** The part of the traffic that a cell is of, as parameters of the API; undefined: its bookings cannot be asked for. */
export type PartOfCell = (chosen: ChosenCell) => Readonly<Record<string, string | number | undefined>> | undefined;

const MAX_SHOWN = 12;

/** The bookings behind a cell of availability. */
export const createCellCard = (page: Page, publisher: () => number, partOf: PartOfCell) => {
  let booked: Booked | undefined;
  let problem: Problem | undefined;
  let turn = 0;
  const list = ({ cell }: ChosenCell): TemplateResult => {
    if (problem) return problemNote(problem);
    if (!booked) return loading();
    if (booked.length === 0) return html`<p class="muted">${t`No line item is expected to get any of it.`}</p>`;
    const rest = booked.slice(MAX_SHOWN);
    return html`<ul class="cell-bookings">
      ${booked.slice(0, MAX_SHOWN).map(
        ({ line_item_id: id, name, impressions }) =>
          html`<li>
            <a href=${linkTo('line_items', id)}>${name ?? t`Line item ${id}, deleted`}</a>
            <span class="figure">${about(impressions)}</span>
            <span class="muted">${cell.available > 0 ? shareWords(impressions / cell.available) : ''}</span>
          </li>`,
      )}
      ${rest.length > 0 ? html`<li class="muted">${t`and ${rest.length} more with ${about(rest.reduce((sum, one) => sum + one.impressions, 0))}`}</li>` : ''}
    </ul>`;
  };
  return {
    open: async (chosen: ChosenCell): Promise<void> => {
      const mine = ++turn;
      booked = undefined;
      problem = undefined;
      const part = partOf(chosen);
      if (part === undefined) return;
      const { from, to } = chosen.cell;
      const answer = await page.api.get('/availability/line_items', { publisher: publisher(), ...part, from, to });
      if (mine !== turn) return;
      if (answer.ok) booked = answer.value;
      else problem = answer.problem;
      page.redraw();
    },
    render: (chosen: ChosenCell, name: string): TemplateResult => {
      const { cell } = chosen;
      return html`<div class="cell-card" aria-live="polite">
        ${card(
          `${name}, ${periodWords(cell)}`,
          html`${usageBar({ label: t`Sold`, used: cell.sold, limit: cell.available, show: about })}
            <p>${t`${about(cell.free)} impressions are free.`}</p>
            ${partOf(chosen) === undefined ? nothing : list(chosen)}`,
        )}
      </div>`;
    },
  };
};
