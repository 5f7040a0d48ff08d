import { html, nothing, type TemplateResult } from 'lit-html';
import type { SavedView } from '../../../src/bookings/saved-view-api.ts';
import { input } from '../../parts/fields/input.ts';
import type { Page } from '../../page.ts';
import { button } from '../../parts/parts.ts';
import { hashOf } from '../../route.ts';
import type { Kind } from '../../api/wire.ts';
import { t } from '../../words/texts.ts';

/** The views of a list that this person saved, and the form for a new one. */
export const createSavedViews = (page: Page, kind: Kind) => {
  let views: readonly SavedView[] = [];
  /** undefined: the form is closed. */
  let name: string | undefined;

  const load = async (): Promise<void> => {
    const answer = await page.api.get('/saved_views');
    if (answer.ok) views = answer.value.filter((view) => view.kind === kind);
    else page.complain(answer.problem);
    page.redraw();
  };
  const open = (to: string | undefined): void => {
    name = to;
    page.redraw();
    if (to !== undefined) queueMicrotask(() => document.querySelector<HTMLElement>('.save-view input')?.focus());
  };
  const save = async (query: string): Promise<void> => {
    const answer = await page.api.send('POST', '/saved_views', { body: { kind, name: name ?? '', query } });
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(t`The view “${name?.trim()}” is saved.`);
    name = undefined;
    await load();
  };
  const remove = async ({ id, name: gone, query }: SavedView): Promise<void> => {
    const answer = await page.api.send('DELETE', '/saved_views/{id}', { id });
    if (!answer.ok) return page.complain(answer.problem);
    const again = () => void page.api.send('POST', '/saved_views', { body: { kind, name: gone, query } }).then(load);
    page.toast(t`The view “${gone}” is deleted.`, { action: { label: t`Undo`, run: again } });
    await load();
  };

  return {
    load,
    /**
     * Always there, so that nothing moves when the list is filtered or sorted.
     *
     * @param query what the list shows; '': all of it
     * @returns the button that opens the form for a new view
     */
    saveButton: (query: string): TemplateResult => {
      const isSaved = query === '' || views.some((view) => view.query === query);
      return html`<button type="button" class="quiet" ?disabled=${isSaved} @click=${() => open('')}>${t`Save this view`}</button>`;
    },
    /** @param query what the list shows */
    render: (query: string): TemplateResult | typeof nothing =>
      views.length === 0 && name === undefined
        ? nothing
        : html`<section class="saved-views" aria-label=${t`Saved views`}>
            ${views.map(
              (view) =>
                html`<span class="view-chip ${view.query === query ? 'on' : ''}"
                  ><a
                    href=${hashOf([kind], Object.fromEntries(new URLSearchParams(view.query)))}
                    aria-current=${view.query === query ? 'true' : nothing}
                    >${view.name}</a
                  >${button('×', () => remove(view), 'chip-remove', t`Delete the view ${view.name}`)}</span
                >`,
            )}
            ${
              name !== undefined
                ? html`<form
                    class="save-view"
                    @submit=${(event: SubmitEvent) => {
                      event.preventDefault();
                      void save(query);
                    }}
                    @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && open(undefined)}
                  >
                    ${input({ value: name, label: t`Name of the view`, placeholder: t`Name, such as Behind`, maxLength: 80, onInput: (typed) => (name = typed) })}
                    <button type="submit">${t`Save`}</button>${button(t`Cancel`, () => open(undefined), 'quiet')}
                  </form>`
                : nothing
            }
          </section>`,
  };
};
