import { html, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Problem } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { card, loading, problemNote, usageBar } from '../parts/parts.ts';
import { linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { periodWords, type ChosenCell } from './availability-table.ts';
import { about, shareWords } from './forecast-words.ts';

type Booked = Answered<'GET', '/availability/line_items'>;

export interface CellCard {
  open(chosen: ChosenCell): Promise<void>;
  render(chosen: ChosenCell): TemplateResult;
}

const MAX_SHOWN = 12;

/** The bookings behind a cell of availability. */
export const createCellCard = (page: Page, publisher: () => number): CellCard => {
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
    open: async ({ placement, cell: { from, to } }) => {
      const mine = ++turn;
      booked = undefined;
      problem = undefined;
      if (placement === undefined) {
        booked = [];
        return;
      }
      const answer = await page.api.get('/availability/line_items', { publisher: publisher(), placement, from, to });
      if (mine !== turn) return;
      if (answer.ok) booked = answer.value;
      else problem = answer.problem;
      page.redraw();
    },
    render: (chosen) => {
      const { placement, cell } = chosen;
      return html`<div class="cell-card" aria-live="polite">
        ${card(
          `${placement ?? t`All of them`}, ${periodWords(cell)}`,
          html`${usageBar({ label: t`Sold`, used: cell.sold, limit: cell.available, show: about })}
            <p>${t`${about(cell.free)} impressions are free.`}</p>
            ${placement === undefined ? html`<p class="muted">${t`Choose a placement to see its bookings.`}</p>` : list(chosen)}`,
        )}
      </div>`;
    },
  };
};
