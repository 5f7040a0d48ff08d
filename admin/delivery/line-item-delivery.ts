import { html, nothing, type TemplateResult } from 'lit-html';
import { parseEndDate, parseStartDate } from '../../src/catalog/model/flight-dates.ts';
import type { Delivery } from '../../src/delivery/delivery.ts';
import type { LineItemStatus } from '../../src/delivery/status/status.ts';
import type { LineItemWire } from '../api/wire.ts';
import { makeGoodNote, makeGoodOffer } from '../bookings/make-good.ts';
import type { Page } from '../page.ts';
import { countryName } from '../parts/fields/country-field.ts';
import { figureList } from '../parts/figure-list.ts';
import { button, card, pill } from '../parts/parts.ts';
import { table, unbroken } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { mayOpen } from '../screen-groups.ts';
import { currencyOfCampaign } from '../words/currency.ts';
import { date, withDates } from '../words/dates.ts';
import { dayGoal } from '../words/day-goal.ts';
import { deliveryWords } from '../words/delivery-words.ts';
import { filteredClicks, filteredImpressions, provisionalClicks } from '../words/filtered-words.ts';
import { count, money, percent } from '../words/formats.ts';
import { publisherOfCampaign } from '../words/kinds.ts';
import { statusWords } from '../words/status-words.ts';
import { targetingWords } from '../words/targeting-words.ts';
import { t } from '../words/texts.ts';
import { daysChart, todayChart } from './delivery-charts.ts';
import { goalBars, limitBars } from './limit-bars.ts';

/** `blank`: its flight runs, it has no creative, and nothing was delivered. */
export type Stage = 'blank' | 'future' | 'running' | 'over';

/** Where a line item is in its life: each has a page with what there is to see and to do. */
export const stageOf = (item: LineItemWire, { status }: Delivery, isBlank: boolean): Stage => {
  const now = Date.now();
  // What cannot serve is over with its flight, too.
  if (status.value === 'archived' || (parseEndDate(item.end_date) ?? Infinity) < now) return 'over';
  if ((parseStartDate(item.start_date) ?? 0) > now) return 'future';
  return isBlank ? 'blank' : 'running';
};

/** What people ask of a status, and the question of the help that answers it. */
const ASKED: Readonly<Partial<Record<LineItemStatus['value'], readonly [label: string, id: string]>>> = {
  behind: [t`Why is it behind?`, 'behind'],
  outranked: [t`Why is it outranked?`, 'outranked'],
  'cannot serve': [t`Why can it not serve?`, 'cannot-serve'],
};

/** The way to the answer, beside a status that raises a question. */
const statusHelp = (page: Page, { value }: LineItemStatus): TemplateResult | typeof nothing => {
  const asked = ASKED[value];
  return asked ? button(asked[0], () => page.help(asked[1]), 'quiet') : nothing;
};

/** The status of a line item, and why. */
export const statusCard = (page: Page, { status }: Delivery): TemplateResult =>
  html`<section class="card status-card">
    <div class="status-line">
      ${pill(status.value, statusWords(status))} ${status.reasons.map((reason) => html`<p>${withDates(reason)}</p>`)}
      ${statusHelp(page, status)}
    </div>
  </section>`;

/** What it delivered today and in the last days. */
export const recentDelivery = (delivery: Delivery, item: LineItemWire, currency: string): TemplateResult => {
  const { today, total } = delivery;
  const figures: readonly (readonly [string, string])[] = [
    [t`Impressions today`, count(today.impressions)],
    [t`Clicks today`, count(today.clicks)],
    [t`Click rate`, today.impressions > 0 ? percent(today.clicks / today.impressions) : '–'],
    [t`Spend today`, money(today.spend, currency)],
    [t`Filtered today`, filteredImpressions(today)],
    [t`Filtered clicks today`, filteredClicks(today)],
    ...(today.provisional_clicks > 0 ? [[t`Clicks under judgement`, provisionalClicks(today)] as const] : []),
    [t`Serves today`, count(today.serves)],
    [t`All impressions`, count(total.impressions)],
    ...Object.entries(today.events).map(([type, times]) => [eventWords(type), count(times)] as const),
  ];
  const hasDelivered = delivery.last_days.some(({ impressions }) => impressions > 0);
  return html`<div class=${hasDelivered ? 'two' : nothing}>
    ${card(
      t`Today`,
      html`${figureList(figures)}
        <p class="legend">
          <span class="key line">${t`impressions`}</span
          >${dayGoal(delivery) === null ? '' : html`<span class="key dashed">${item.pacing === 'ASAP' ? t`daily cap` : t`pacing target`}</span>`}<span
            >${t`day of ${delivery.time_zone}`}</span
          >
        </p>
        <ad-chart .chart=${todayChart(delivery)}></ad-chart>`,
    )}
    ${
      hasDelivered
        ? card(
            t`Last 14 days`,
            html`<p class="legend"><span class="key line">${t`impressions a day`}</span></p>
              <ad-chart .chart=${daysChart(delivery)}></ad-chart>
              ${daysTable(delivery, currency)}`,
          )
        : nothing
    }
  </div>`;
};

/** What a line item may deliver, how it is paced, and to whom it is shown. */
export const termsCards = (page: Page, item: LineItemWire, delivery: Delivery, stage: Stage): TemplateResult => {
  const { store, rights } = page;
  const currency = currencyOfCampaign(store, item.campaign_id);
  const named = store.find('targetings', item.targeting_id);
  const targeted = [
    ...(named ? [t`of “${named.name}”`] : []),
    ...targetingWords(item.targeting, { countryName, dimensions: store.dimensions() }),
  ];
  return html`
    <div class="two">
      ${card(t`Goals, caps and budgets`, html`${goalBars(delivery)}${limitBars(delivery, stage === 'over', currency)}${makeGoodOffer(page, item, delivery)}`)}
      ${card(
        t`How it is delivered`,
        html`${makeGoodNote(item)}${deliveryWords(item, delivery, currency, publisherOfCampaign(store, item.campaign_id), stage === 'running').map((sentence) => html`<p>${sentence}</p>`)}
          <p>${targeted.length === 0 ? t`Shown to every visitor.` : html`${t`Shown to visitors ${targeted.join('; ')}.`}`}</p>
          ${mayOpen(rights, '#/test') ? html`<p><a href=${hashOf(['test'], { line_item_id: item.id })}>${t`Try a visitor: would this person see it?`}</a></p>` : nothing}`,
      )}
    </div>
  `;
};

/** An event of the page by the name that it has there. */
const eventWords = (type: string): string => (type === 'viewable' ? t`Viewable today` : t`“${type}” today`);

const daysTable = ({ last_days }: Delivery, currency: string): TemplateResult | typeof nothing =>
  last_days.length === 0
    ? nothing
    : html`<details>
        <summary>${t`As a table`}</summary>
        ${table({
          caption: t`Last 14 days`,
          rows: [...last_days].reverse(),
          columns: [
            { label: t`Day`, cell: ({ day }) => unbroken(date(day)) },
            { label: t`Serves`, numeric: true, cell: ({ serves }) => count(serves) },
            { label: t`Filtered`, numeric: true, cell: filteredImpressions },
            { label: t`Impressions`, numeric: true, cell: ({ impressions }) => count(impressions) },
            { label: t`Filtered clicks`, numeric: true, cell: filteredClicks },
            { label: t`Provisional clicks`, numeric: true, cell: provisionalClicks },
            { label: t`Clicks`, numeric: true, cell: ({ clicks }) => count(clicks) },
            { label: t`Spend`, numeric: true, cell: ({ spend }) => money(spend, currency) },
          ],
        })}
      </details>`;
