import { html, nothing, type TemplateResult } from 'lit-html';
import { parseEndDate } from '../../src/catalog/model/flight-dates.ts';
import type { Delivery } from '../../src/delivery/delivery.ts';
import { createWaitingNote } from '../approvals/waiting-note.ts';
import { toggleActive } from '../bookings/actions.ts';
import { daysChart, todayChart } from './delivery-charts.ts';
import { countryName } from '../parts/fields/country-field.ts';
import { linkTo, publisherOfCampaign, titleOf } from '../words/kinds.ts';
import { archivedBy } from '../words/archived.ts';
import type { Page, View } from '../page.ts';
import { button, card, crumbs, pageHead, pill } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf, type Route } from '../route.ts';
import { mayOpen } from '../screen-groups.ts';
import { table, unbroken } from '../parts/table.ts';
import type { LineItemWire } from '../api/wire.ts';
import { dayGoal } from '../words/day-goal.ts';
import { deliveryWords } from '../words/delivery-words.ts';
import { targetingWords } from '../words/targeting-words.ts';
import { filteredClicks, filteredImpressions, provisionalClicks } from '../words/filtered-words.ts';
import { date, flight, withDates } from '../words/dates.ts';
import { count, money, percent } from '../words/formats.ts';
import { statusWords } from '../words/status-words.ts';
import { priceOf } from '../bookings/lists/price-of.ts';
import { listedCreatives } from '../bookings/creative-terms.ts';
import { makeGoodNote, makeGoodOffer } from '../bookings/make-good.ts';
import { childrenCard, recordView } from '../bookings/record-view.ts';
import { createOthersHere } from '../bookings/others-here.ts';
import { createCommentsCard } from '../bookings/comments-card.ts';
import { createLineItemForecast } from '../forecast/line-item-forecast.ts';
import { createCourseCard, type Booked, type CourseForecast } from './course/course-card.ts';
import { statusHelp } from '../help/status-help.ts';
import { createFlowCard } from './flow-card.ts';
import { goalBars, limitBars } from './limit-bars.ts';
import { createRefusalsCard } from './refusals-card.ts';
import { editLink, recordActions } from '../bookings/row-actions.ts';
import { currencyOfCampaign } from '../words/currency.ts';
import { t } from '../words/texts.ts';

const REFRESH_MS = 10_000;

/** One line item: its status and the reason, its delivery, and its limits. */
export const openLineItem = async (page: Page, route: Route): Promise<View> => {
  const { store } = page;
  const id = Number(route.parts[1]);
  const delivery = createReading(page, (api) => api.get('/line_items/{id}/delivery', { id }), {
    keep: true,
    may: page.rights.may('GET', '/line_items/{id}/delivery'),
  });
  const refusals = createRefusalsCard(page, id);
  const flow = createFlowCard(page, 'line_items', id);
  const comments = createCommentsCard(page, 'line_items', id, () => void course.load());
  const waiting = createWaitingNote(page, 'line_items', id);
  const others = createOthersHere(page, 'line_items', id);
  const refresh = (): void => {
    if (document.visibilityState === 'visible') void Promise.all([delivery.load(), refusals.load()]);
  };
  const timer = setInterval(refresh, REFRESH_MS);
  const creatives = `line_item_id=${id}`;
  const faults = await Promise.all([store.ensure('line_items', id), store.read('creatives', creatives)]);
  const named = store.find('line_items', id)?.targeting_id ?? undefined;
  const fault = named === undefined ? undefined : await store.ensure('targetings', named);
  for (const one of [...faults, fault]) if (one) page.complain(one);

  const booked = store.find('line_items', id);
  const course = createCourseCard(page, { of: 'line_item', id }, booked);
  const forecast = createLineItemForecast(page, booked);
  const ahead = (item: LineItemWire): CourseForecast => ({ words: forecast.render(item), delivery: forecast.known()?.delivery });
  const render = (item: LineItemWire, title: string): TemplateResult => {
    const campaign = store.find('campaigns', item.campaign_id);
    const publisher = publisherOfCampaign(store, item.campaign_id);
    return html`
      ${crumbs(
        [
          [hashOf(['campaigns']), t`Campaigns`],
          ...(campaign ? [[linkTo('campaigns', campaign.id), titleOf('campaigns', campaign)] as const] : []),
        ],
        title,
      )}
      ${pageHead(title, `${item.type === 'direct' ? t`Direct` : t`Programmatic`}, ${priceOf(item, currencyOfCampaign(store, item.campaign_id))}, ${flight(item)}`, actions(page, item))}
      ${others.render()} ${waiting()}
      ${delivery.render((read) => statusAndDelivery(page, item, read, refusals.render(), html`${course.render({ ...bookedOf(item), currency: currencyOfCampaign(store, item.campaign_id) }, ahead(item))}${flow()}`))}
      ${childrenCard(page, {
        kind: 'creatives',
        ...listedCreatives(item, store.listing('creatives', creatives)?.rows ?? []),
        parent: { line_item_id: id },
        archived: archivedBy(store, 'line_items', item) !== undefined,
        without: 'line_item',
        empty: t`It has no creative yet, so it cannot serve.`,
        caption: t`Creatives${publisher ? t` for ${publisher.name}` : ''}`,
      })}
      ${comments()}
    `;
  };
  return recordView(page, 'line_items', id, render, () => {
    clearInterval(timer);
    forecast.leave();
    others.leave();
  });
};

/** What a line item was agreed to deliver and to cost. */
export const bookedOf = (item: LineItemWire): Omit<Booked, 'currency'> => {
  const { goal_impressions: goal, budget, budget_type: type, cpm } = item;
  const agreed = type === 'CPM' && goal !== null && cpm !== null ? (goal * cpm) / 1_000 : null;
  return { flight: item, goal, cost: agreed !== null && budget !== null ? Math.min(agreed, budget) : (agreed ?? budget) };
};

const actions = (page: Page, item: LineItemWire): TemplateResult => html`
  ${archivedBy(page.store, 'line_items', item) || !page.rights.mayChange('line_items', item) ? nothing : button(item.active ? t`Pause` : t`Resume`, () => toggleActive(page, 'line_items', item).then(() => page.go(location.hash)))}
  ${editLink(page, 'line_items', item)} ${recordActions(page, 'line_items', item, linkTo('campaigns', item.campaign_id))}
`;

const statusAndDelivery = (
  page: Page,
  item: LineItemWire,
  delivery: Delivery,
  refusals: TemplateResult,
  course: unknown,
): TemplateResult => {
  const { store, rights } = page;
  const { status, today, total } = delivery;
  const currency = currencyOfCampaign(store, item.campaign_id);
  const named = store.find('targetings', item.targeting_id);
  const targeted = [
    ...(named ? [t`of “${named.name}”`] : []),
    ...targetingWords(item.targeting, { countryName, dimensions: store.dimensions() }),
  ];
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
    ...Object.entries(today.events).map(([type, times]) => [t`“${type}” today`, count(times)] as const),
  ];
  const hasDelivered = delivery.last_days.some(({ impressions }) => impressions > 0);
  // What cannot serve is over with its flight, too.
  const isOver = status.value === 'archived' || (parseEndDate(item.end_date) ?? Infinity) < Date.now();
  return html`
    <section class="card status-card">
      <div class="status-line">
        ${pill(status.value, statusWords(status))} ${status.reasons.map((reason) => html`<p>${withDates(reason)}</p>`)}
        ${statusHelp(page, status)}
      </div>
    </section>
    ${course} ${isOver ? nothing : refusals}
    <div class=${!isOver && hasDelivered ? 'two' : nothing}>
      ${
        isOver
          ? nothing
          : card(
              t`Today`,
              html`${figureList(figures)}
                <p class="legend">
                  <span class="key line">${t`impressions`}</span
                  >${dayGoal(delivery) === null ? '' : html`<span class="key dashed">${item.pacing === 'ASAP' ? t`daily cap` : t`pacing target`}</span>`}<span
                    >${t`day of ${delivery.time_zone}`}</span
                  >
                </p>
                <ad-chart .chart=${todayChart(delivery)}></ad-chart>`,
            )
      }
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
    </div>
    <div class="two">
      ${card(t`Goals, caps and budgets`, html`${goalBars(delivery)}${limitBars(delivery, isOver, currency)}${makeGoodOffer(page, item, delivery)}`)}
      ${card(
        t`How it is delivered`,
        html`${makeGoodNote(item)}${deliveryWords(item, delivery, currency, publisherOfCampaign(store, item.campaign_id)).map((sentence) => html`<p>${sentence}</p>`)}
          <p>${targeted.length === 0 ? t`Shown to every visitor.` : html`${t`Shown to visitors ${targeted.join('; ')}.`}`}</p>
          ${mayOpen(rights, '#/test') ? html`<p><a href=${hashOf(['test'], { line_item_id: item.id })}>${t`Try a visitor: would this person see it?`}</a></p>` : nothing}`,
      )}
    </div>
  `;
};

const figureList = (figures: readonly (readonly [string, string])[]): TemplateResult =>
  html`<dl class="figures">
    ${figures.map(
      ([label, figure]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${figure}</dd>
        </div>`,
    )}
  </dl>`;

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
