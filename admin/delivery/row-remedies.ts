import { html, nothing, type TemplateResult } from 'lit-html';
import type { AttentionRow } from '../../src/delivery/attention/attention.ts';
import { applyRemedy } from '../forecast/apply-remedy.ts';
import { createAskedForecast, type Forecast } from '../forecast/asked-forecast.ts';
import { basisLine, bindingLine, forecastBar, remedyButtons, warningLine } from '../forecast/forecast-parts.ts';
import { about, isShort, rangeWords, remedyWords } from '../forecast/forecast-words.ts';
import type { Page } from '../page.ts';
import { button } from '../parts/parts.ts';
import { say, t } from '../words/texts.ts';

type Remedy = Forecast['remedies'][number];

/** What helps line items of a list, each in its own row. @param reload after a change, and after it was undone */
export const createRowRemedies = (page: Page, reload: () => Promise<void>) => {
  const asked = createAskedForecast(page);
  /** The row that is open. */
  let open: number | undefined;
  const done = new Map<number, { readonly words: string; readonly undo: () => Promise<void> }>();

  const close = (): void => {
    open = undefined;
    asked.stop();
    page.redraw();
  };
  const toggle = (id: number): void => {
    if (open === id) return close();
    asked.stop();
    open = id;
    asked.ask({ line_item_id: id });
  };
  const apply = async (id: number, remedy: Remedy): Promise<void> => {
    const fault = await page.store.ensure('line_items', id);
    const item = page.store.find('line_items', id);
    if (fault) return page.complain(fault);
    if (!item) return;
    const undo = await applyRemedy(page, item, remedy, () => void reload());
    if (!undo) return;
    const back = (): Promise<void> => undo().then(() => void (done.delete(id), page.redraw()));
    done.set(id, { words: remedyWords(remedy), undo: back });
    close();
  };
  const panel = (id: number): TemplateResult => {
    const [known, reason] = [asked.known(), asked.reason()];
    if (asked.problem()) return html`<p class="help">${t`There is no forecast now. Try again in a moment.`}</p>`;
    if (reason !== undefined) return html`<p class="help">${t`There is no forecast: ${say(reason)}.`}</p>`;
    if (!known)
      return html`<div class="forecast-bar" aria-hidden="true"></div>
        ${basisLine(asked)}`;
    const { goal, delivery, remedies } = known;
    const words = goal === null ? rangeWords(delivery) : t`${rangeWords(delivery)} of ${about(goal)}`;
    return html`<p class="forecast-head"><b>${t`As it is`}</b> <span>${words}</span></p>
      ${forecastBar(known)} ${bindingLine(known)} ${remedyButtons(known, (remedy) => apply(id, remedy))}
      ${
        isShort(known)
          ? remedies.length > 0
            ? nothing
            : html`<p class="help">${t`No single change is known to bring more. Lower its goal, or agree on a make-good.`}</p>`
          : html`<p class="help">${t`It is expected to catch up by itself.`}</p>`
      }
      ${warningLine(known)} ${basisLine(asked)}`;
  };
  return {
    /** The buttons of a row: what helps most where it is known, and all that would. */
    actions: ({ id, remedy }: AttentionRow & { readonly id: number }): TemplateResult => {
      const was = done.get(id);
      if (was)
        return html`<span class="needs-actions"
          ><span class="needs-done">${t`${was.words}: done.`}</span> ${button(t`Undo`, was.undo, 'quiet')}</span
        >`;
      const isOpen = open === id;
      return html`<span class="needs-actions">
        ${remedy ? button(t`${remedyWords(remedy)}: ${about(remedy.p50)}`, () => apply(id, remedy), 'secondary') : nothing}
        <button type="button" class=${remedy ? 'quiet' : 'secondary'} aria-expanded=${isOpen} @click=${() => toggle(id)}>
          ${remedy ? t`More` : t`What helps?`}
        </button>
      </span>`;
    },
    /** What was opened below a row. */
    below: ({ id }: AttentionRow) => (id !== null && id === open ? html`<div class="needs-below forecast">${panel(id)}</div>` : nothing),
    leave: asked.stop,
  };
};

export type RowRemedies = ReturnType<typeof createRowRemedies>;
