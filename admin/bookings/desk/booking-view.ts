import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page, View } from '../../page.ts';
import { button, crumbs, emptyState, pageHead, problemNote } from '../../parts/parts.ts';
import { hashOf, type Route } from '../../route.ts';
import { counted, linkTo } from '../../words/kinds.ts';
import { t } from '../../words/texts.ts';
import { allowed, missingParent, type NextStep } from '../forms/next-step.ts';
import { createOthersHere } from '../others-here.ts';
import { missingRecord } from '../record-view.ts';
import { textOf } from '../forms/typed-text.ts';
import { bookingAside } from './booking-aside.ts';
import { createBookingForecast } from './booking-forecast.ts';
import { createBookingDesk, type BookingDesk, type Finding, type SaveMode } from './booking-desk.ts';
import { asNew, newItem, type BookingDraft } from './booking-draft.ts';
import { campaignCard } from './campaign-card.ts';
import { createDroppedFiles } from './dropped-files.ts';
import { ITEM_GROUPS } from './item-groups.ts';
import { groupId, itemRow } from './item-row.ts';
import { itemsOfTable } from './pasted-table.ts';
import { draftsBar, keepTemplate } from './drafts-bar.ts';
import { readBooking } from './read-booking.ts';

/** One page on which a campaign is built and read: the campaign, its line items and their creatives. */
export const openBooking = async (page: Page, route: Route): Promise<View> => {
  const read = await readBooking(page, route);
  if ('problem' in read) {
    const rest = read.problem.status === 404 ? missingRecord('campaigns') : problemNote(read.problem);
    return { title: t`Booking`, section: 'campaigns', render: () => html`${pageHead(t`Booking`, '')}${rest}` };
  }
  const { key, drafts } = read;
  /** The address names the draft from when it is kept: a reload goes on with it. */
  const nameDraft = (): void => {
    if (read.draft.campaign.id === undefined) page.rename(hashOf(['campaigns', 'new'], { draft: key }));
  };
  let desk: BookingDesk = createBookingDesk(page, key, read.draft, nameDraft);
  let restored = read.restored;
  const id = read.draft.campaign.id;
  const open = new Set<string>(read.draft.line_items.length === 1 ? read.draft.line_items.map((item) => item.key) : []);
  const opened = {
    has: (name: string): boolean => open.has(name),
    toggle: (name: string, to = !open.has(name)): void => {
      if (to) open.add(name);
      else open.delete(name);
      page.redraw();
    },
  };
  let files = createDroppedFiles(page, desk);
  const forecast = createBookingForecast(page, () => desk);
  const others = createOthersHere(page, 'campaigns', id);

  const begin = (draft: BookingDraft): void => {
    desk = createBookingDesk(page, key, draft, nameDraft);
    files = createDroppedFiles(page, desk);
    restored = undefined;
    for (const item of draft.line_items) open.add(item.key);
    page.redraw();
  };

  const save = async (mode: SaveMode): Promise<void> => {
    const booked = await desk.save(mode);
    const campaign = booked?.campaign;
    if (!campaign)
      return void requestAnimationFrame(() => document.querySelector<HTMLElement>('.desk-findings button, .note.bad')?.focus());
    await page.store.refresh();
    const said = { live: t`is booked.`, submit: t`is submitted: its creatives wait for approval.`, paused: t`is booked and paused.` }[mode];
    page.toast(`“${String(campaign['name'])}” ${said}`);
    page.go(linkTo('campaigns', campaign['id'] as number), { saved: true });
  };

  const addItems = (items: readonly ReturnType<typeof newItem>[]): void => {
    desk.change((now) => {
      const [first, ...rest] = now.line_items;
      // A table takes the place of the line item that a new booking begins with.
      const isUnused =
        rest.length === 0 &&
        first?.id === undefined &&
        first?.creatives.length === 0 &&
        textOf(first.fields['cpm']) === '' &&
        items.length > 0;
      return { ...now, line_items: isUnused && items.length > 1 ? items : [...now.line_items, ...items] };
    });
  };

  const addOne = (): void => {
    const item = newItem();
    addItems([item]);
    opened.toggle(item.key, true);
    requestAnimationFrame(() => document.getElementById(`item-${item.key}`)?.focus());
  };

  const paste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const items = text.includes('\t') ? itemsOfTable(text) : [];
    if (items.length === 0) return;
    event.preventDefault();
    addItems(items);
    page.toast(t`${counted(items.length, 'line item')} of the table were added.`);
  };

  /** Opens what a finding is about, and puts the focus there. */
  const show = ({ pointer }: Finding): void => {
    const [, at, field = ''] = /^\/line_items\/(\d+)(?:\/fields\/(.*))?/.exec(pointer) ?? [];
    const item = at === undefined ? undefined : desk.draft().line_items[Number(at)];
    if (item) {
      opened.toggle(item.key, true);
      const group = ITEM_GROUPS.find(({ fields, more }) =>
        [...fields, ...more].some((one) => field === one || field.startsWith(`${one}/`)),
      );
      if (group) opened.toggle(`${item.key} ${group.name}`, true);
      if (group?.more.includes(field)) opened.toggle(`${item.key} ${group.name} all`, true);
      const target = group ? groupId(Number(at), group.name) : `item-${item.key}`;
      return void requestAnimationFrame(() => {
        const head = document.getElementById(target);
        head?.scrollIntoView({ block: 'center' });
        (head?.parentElement?.querySelector<HTMLElement>('.fields :is(input, select)') ?? head)?.focus();
      });
    }
    const name = /^\/campaign\/fields\/(\w+)/.exec(pointer)?.[1];
    document.getElementById(`field-campaign-fields-${name?.replaceAll('_', '-')}`)?.focus();
  };

  const mark = (event: DragEvent, over: boolean): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    (event.currentTarget as HTMLElement).classList.toggle('over', over);
  };

  const missing = (): NextStep | undefined => (id === undefined ? missingParent('campaigns', page.store) : undefined);
  if (id === undefined && !missing()) requestAnimationFrame(() => document.getElementById('field-campaign-fields-advertiser-id')?.focus());

  const render = (): TemplateResult => {
    const step = missing();
    if (step) return html`${pageHead(t`New campaign`, '')}${emptyState(step.text, allowed(page, step))}`;
    const draft = desk.draft();
    const title = id === undefined ? t`New campaign` : textOf(draft.campaign.fields['name']) || t`Booking`;
    const problem = desk.problem();
    return html`<div
      class="desk"
      @paste=${paste}
      @dragover=${(event: DragEvent) => mark(event, true)}
      @dragleave=${(event: DragEvent) => mark(event, false)}
      @drop=${(event: DragEvent) => {
        mark(event, false);
        void files.take([...(event.dataTransfer?.files ?? [])]);
      }}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void save('live');
      }}
    >
      ${crumbs([[hashOf(['campaigns']), t`Campaigns`]], title)} ${pageHead(title, '')} ${others.render()}
      ${draftsBar(page, { desk, drafts, restored, begin: (content) => begin(asNew(content)), startOver: () => begin(read.original) })}
      <div class="desk-columns">
        <div class="desk-main">
          ${problem ? problemNote(problem) : nothing}
          ${campaignCard(page, desk, open.has('campaign'), () => opened.toggle('campaign', true))}
          <section class="card desk-items" aria-label=${t`Line items`}>
            <ul>
              ${draft.line_items.map((item, at) => itemRow({ page, desk, opened, files }, item, at))}
            </ul>
            <p class="desk-add">
              ${button(t`Add a line item`, addOne, 'secondary')}
              <span class="help">${t`or paste rows from a spreadsheet`}</span>
            </p>
            <ul class="desk-uploads" aria-live="polite">
              ${files
                .list()
                .map(({ name, reason }) =>
                  reason === undefined
                    ? html`<li aria-busy="true">${t`Uploading ${name} …`}</li>`
                    : html`<li class="desk-fault">
                        <b>${name}</b> ${reason} ${button('×', () => files.dismiss(name), 'quiet icon-button', t`Dismiss ${name}`)}
                      </li>`,
                )}
            </ul>
          </section>
        </div>
        ${bookingAside(page, desk, show, forecast.render())}
      </div>
      <div class="save-bar">
        <span class="figure">${button(t`Keep as a template`, () => keepTemplate(page, desk), 'quiet')}</span>
        <a role="button" class="secondary" href=${id === undefined ? hashOf(['campaigns']) : linkTo('campaigns', id)}>${t`Close`}</a>
        ${button(t`Book, paused`, () => save('paused'), 'secondary')} ${button(t`Submit for approval`, () => save('submit'), 'secondary')}
        <button
          type="button"
          class="desk-book"
          aria-busy=${desk.isSaving() ? 'true' : 'false'}
          ?disabled=${desk.isSaving()}
          @click=${() => void save('live')}
        >
          ${id === undefined ? t`Book` : t`Save`} <kbd aria-hidden="true">⌘↵</kbd>
        </button>
      </div>
    </div>`;
  };
  return {
    ...{ title: t`Booking`, section: 'campaigns', render, hasChanges: () => desk.hasChanges() },
    leave: () => {
      others.leave();
      forecast.leave();
      desk.leave();
    },
  };
};
