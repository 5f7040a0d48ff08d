import { html, type TemplateResult } from 'lit-html';
import type { PlacementRefusals } from '../../src/delivery/refusals/refusals.ts';
import type { Page } from '../page.ts';
import { card } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf } from '../route.ts';
import { count, percent } from '../words/formats.ts';
import { say, t } from '../words/texts.ts';

/** What became of today's requests for a placement. */
export const createUnfilledCard = (page: Page, id: string): (() => TemplateResult) => {
  const may = page.rights.may('GET', '/placements/{id}/refusals');
  const reading = createReading(page, (api) => api.get('/placements/{id}/refusals', { id }), { may });
  const show = ({ requests, unfilled, reasons }: PlacementRefusals): TemplateResult =>
    requests === 0
      ? html`<p class="muted">${t`No request has come for it today.`} <a href=${hashOf(['test'])}>${t`Test an ad`}</a></p>`
      : html`<p>${t`${percent(1 - unfilled / requests)} of ${count(requests)} requests got an ad.`}</p>
          <ul class="needs">
            ${reasons.map(
              ({ words, requests: some, share }) =>
                html`<li>
                  <span><b>${percent(share)}</b> <span class="muted">${t`${count(some)} did not: ${say(words)}`}</span></span>
                </li>`,
            )}
          </ul>
          <p>
            <a
              href=${hashOf(['reports'], { group_by: 'bidder', metrics: 'bid_requests,bids,bid_rate,bid_refusals,timeouts,wins,win_rate', range: 'today', 'filter[placement]': id })}
              >${t`What bidders answered`}</a
            >
          </p>`;
  return () => card(t`Fill today`, html`${reading.render(show)}`);
};
