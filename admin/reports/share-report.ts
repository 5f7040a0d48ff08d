import { html, type TemplateResult } from 'lit-html';
import type { Page } from '../page.ts';
import { showReportLink } from '../parts/dialogs.ts';
import { button, card } from '../parts/parts.ts';
import { recordChoice } from '../bookings/lists/record-choice.ts';
import { select } from './report-controls.ts';
import { t } from '../words/texts.ts';

const DAYS = [
  ['7', t`for a week`],
  ['30', t`for 30 days`],
  ['90', t`for 90 days`],
  ['365', t`for a year`],
] as const;

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
    await showReportLink(new URL(answer.value.url, location.href).href, answer.value.expires_at.slice(0, 10));
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
            ${select(t`How long`, days, DAYS, (value) => (days = value))} ${button(t`Cancel`, () => show(false), 'secondary')}
            <button type="button" ?disabled=${advertiser === ''} @click=${() => void create()}>${t`Create the link`}</button>
          </div>`,
      );
    },
  };
};
