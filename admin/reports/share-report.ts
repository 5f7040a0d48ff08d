import { html, type TemplateResult } from 'lit-html';
import type { Page } from '../page.ts';
import { showReportLink } from '../parts/dialogs.ts';
import { button, card } from '../parts/parts.ts';
import { recordChoice } from '../bookings/lists/record-choice.ts';
import { select } from './report-controls.ts';

const DAYS = [
  ['7', 'for a week'],
  ['30', 'for 30 days'],
  ['90', 'for 90 days'],
  ['365', 'for a year'],
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
        'Share with an advertiser',
        html`<p>Anyone who has the link sees this report of that advertiser alone. It ends by itself, or when it is revoked.</p>
          <div class="row">
            ${recordChoice(page, {
              ...{ kind: 'advertisers', label: 'Advertiser', value: advertiser },
              choose: (value) => {
                advertiser = value;
                page.redraw();
              },
            })}
            ${select('How long', days, DAYS, (value) => (days = value))} ${button('Cancel', () => show(false), 'secondary')}
            <button type="button" ?disabled=${advertiser === ''} @click=${() => void create()}>Create the link</button>
          </div>`,
      );
    },
  };
};
