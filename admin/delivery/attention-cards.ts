import { html, nothing, type TemplateResult } from 'lit-html';
import type { Attention } from '../../src/delivery/attention/attention.ts';
import { card, pill, type Status } from '../parts/parts.ts';
import { showEndDate } from '../../src/catalog/model/flight-dates.ts';
import { hashOf } from '../route.ts';
import { date } from '../words/dates.ts';
import { count, money } from '../words/formats.ts';
import { counted, linkTo } from '../words/kinds.ts';
import { say, t } from '../words/texts.ts';

/** How often each status occurs, as a row of links to the list. */
export const statusCounts = ({ line_items }: Attention): TemplateResult =>
  html`<p class="status-counts">
    ${Object.entries(line_items)
      .sort(([, a], [, b]) => b - a)
      .map(
        ([status, times]) =>
          html`<a href=${hashOf(['line_items'], { q: status })}>${pill(status as Status, `${count(times)} ${say(status)}`)}</a>`,
      )}
  </p>`;

/** Two columns of five. */
const MAX_ENDED = 10;

export const endedCard = ({ ended }: Attention): TemplateResult | typeof nothing =>
  ended.length === 0
    ? nothing
    : card(
        t`Ended in the last three days`,
        html`<ul class="needs ended">
          ${ended.slice(0, MAX_ENDED).map(
            ({ line_item_id, name, ended_at, impressions, spend, currency }) =>
              html`<li>
                <span
                  ><a href=${linkTo('line_items', line_item_id)}>${name}</a>
                  <span class="muted"
                    >${t`${counted(impressions, 'impression')}, ${money(spend, currency)}; ended with ${date(showEndDate(Date.parse(ended_at)))}`}</span
                  ></span
                >
              </li>`,
          )}
          ${ended.length > MAX_ENDED ? html`<li><a href=${hashOf(['line_items'], { q: 'finished' })}>${t`${count(ended.length - MAX_ENDED)} more`}</a></li>` : nothing}
        </ul>`,
      );

export const healthLine = ({ health }: Attention): TemplateResult =>
  html`<p class="muted" role="status">
    ${health.counters ? t`The service runs well, on ${counted(health.replicas, 'server')}.` : html`<b>${t`The counters do not answer: figures are as stored so far.`}</b>`}
    ${health.catalog_version === null ? t`Bookings are not loaded yet.` : nothing}
  </p>`;
