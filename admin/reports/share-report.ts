import { html, type TemplateResult } from 'lit-html';
import type { Page } from '../page.ts';
import { showSharedLink } from '../parts/dialogs.ts';
import { button, card } from '../parts/parts.ts';
import { recordChoice } from '../bookings/lists/record-choice.ts';
import { select } from '../parts/select.ts';
import { date } from '../words/dates.ts';
import { LINK_DAYS } from '../words/link-days.ts';
import { t } from '../words/texts.ts';

/** The form for a read-only link of one advertiser. */
export const createShareForm = (page: Page, query: () => string) => {
  let isOpen = false;
  let advertiser = '';
  let days = '30';
  const show = (open: boolean): void => {
    isOpen = open;
    page.redraw();
  };
  const create = async (): Promise<void> => {
    const body = { advertiser_id: Number(advertiser), query: query(), days: Number(days) };
    const answer = await page.api.send('POST', '/report_links', { body });
    if (!answer.ok) {
      const [fault] = answer.problem.errors;
      return page.complain(fault ? { ...answer.problem, detail: `${fault.detail}.` } : answer.problem);
    }
    show(false);
    await showSharedLink(new URL(answer.value.url, location.href).href, {
      text: t`It shows the report to everyone who has it, until ${date(answer.value.expires_at.slice(0, 10))}.`,
      open: t`Open the report`,
    });
  };
  return {
    open: (): void => show(true),
    render: (): TemplateResult | string => {
      if (!isOpen) return '';
      return card(
        t`Share with an advertiser`,
        html`<p>${t`Anyone who has the link sees this report of that advertiser alone. It ends by itself, or when it is revoked.`}</p>
          <div class="row">
            ${recordChoice(page, {
              ...{ kind: 'advertisers', label: t`Advertiser`, value: advertiser },
              choose: (value) => {
                advertiser = value;
                page.redraw();
              },
            })}
            ${select(t`How long`, days, LINK_DAYS, (value) => (days = value))} ${button(t`Cancel`, () => show(false), 'secondary')}
            <button type="button" ?disabled=${advertiser === ''} @click=${() => void create()}>${t`Create the link`}</button>
          </div>`,
      );
    },
  };
};
