import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page } from '../../page.ts';
import { button } from '../../parts/parts.ts';
import { hashOf } from '../../route.ts';
import { moment } from '../../words/dates.ts';
import { t } from '../../words/texts.ts';
import type { BookingDesk } from './booking-desk.ts';
import type { BookingDraft } from './booking-draft.ts';
import type { KeptDraft } from './read-booking.ts';

export interface DraftsBarOptions {
  readonly desk: BookingDesk;
  readonly drafts: readonly KeptDraft[];
  /** When the draft was kept that is shown. */
  readonly restored: string | undefined;
  readonly begin: (content: BookingDraft) => void;
  readonly startOver: () => void;
}

const MAX_NAMED = 4;

/** Above a booking: the draft that it goes on from, others that were begun, and templates. */
export const draftsBar = (page: Page, { desk, drafts, restored, begin, startOver }: DraftsBarOptions): TemplateResult => {
  const isNew = desk.draft().campaign.id === undefined;
  const begun = drafts.filter(({ kind, key }) => kind === 'draft' && key.startsWith('new-')).slice(0, MAX_NAMED);
  const templates = drafts.filter(({ kind }) => kind === 'template');
  const beginFrom = async (key: string): Promise<void> => {
    const answer = await page.api.get('/booking_drafts/{key}', { key });
    if (!answer.ok) return page.complain(answer.problem);
    begin(answer.value.content as unknown as BookingDraft);
  };
  const forget = async (): Promise<void> => {
    await page.api.send('DELETE', '/booking_drafts/{key}', { key: desk.key });
    startOver();
  };
  return html`<div class="desk-drafts">
    ${
      restored === undefined
        ? nothing
        : html`<p class="note">${t`Your draft of ${moment(restored)}.`} ${button(t`Start over`, forget, 'quiet')}</p>`
    }
    <div class="desk-drafts-line">
      ${
        isNew && begun.length > 0
          ? html`<span
              >${t`Go on with`}
              ${begun.map(({ key, name }) => html`<a href=${hashOf(['campaigns', 'new'], { draft: key })}>${name}</a> `)}</span
            >`
          : nothing
      }
      ${
        isNew && templates.length > 0
          ? html`<label
              >${t`Begin from`}
              <select
                @change=${({ target }: Event) => {
                  const select = target as HTMLSelectElement;
                  if (select.value !== '') void beginFrom(select.value);
                  select.value = '';
                }}
              >
                <option value="">${t`a template …`}</option>
                ${templates.map(({ key, name }) => html`<option value=${key}>${name}</option>`)}
              </select></label
            >`
          : nothing
      }
    </div>
  </div>`;
};

/** Keeps a booking as what new ones begin from. */
export const keepTemplate = async (page: Page, desk: BookingDesk): Promise<void> => {
  const name = desk.name() || t`Booking`;
  if (await desk.keepNow('template', name)) page.toast(t`“${name}” is kept as a template.`);
};
