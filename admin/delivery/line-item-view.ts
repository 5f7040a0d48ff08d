import { html, nothing, type TemplateResult } from 'lit-html';
import type { Delivery } from '../../src/delivery/delivery.ts';
import { createWaitingNote } from '../approvals/waiting-note.ts';
import { toggleActive } from '../bookings/actions.ts';
import { linkTo, publisherOfCampaign, titleOf } from '../words/kinds.ts';
import { archivedBy } from '../words/archived.ts';
import type { Page, View } from '../page.ts';
import { button, crumbs, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf, type Route } from '../route.ts';
import type { LineItemWire } from '../api/wire.ts';
import { flight } from '../words/dates.ts';
import { priceOf } from '../bookings/lists/price-of.ts';
import { listedCreatives } from '../bookings/creative-terms.ts';
import { childrenCard, recordView } from '../bookings/record-view.ts';
import { createOthersHere } from '../bookings/others-here.ts';
import { createCommentsCard } from '../bookings/comments-card.ts';
import { createLineItemForecast } from '../forecast/line-item-forecast.ts';
import { createCourseCard, type Booked, type CourseForecast } from './course/course-card.ts';
import { createFlowCard } from './flow-card.ts';
import { recentDelivery, stageOf, statusCard, termsCards } from './line-item-delivery.ts';
import { withoutEndings } from './without-endings.ts';
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
  const course = createCourseCard(page, 'line_item', id, booked);
  const forecast = createLineItemForecast(page, booked);
  const ahead = (item: LineItemWire): CourseForecast => ({ words: forecast.render(item), delivery: forecast.known()?.delivery });
  const creativesCard = (item: LineItemWire): TemplateResult => {
    const publisher = publisherOfCampaign(store, item.campaign_id);
    return childrenCard(page, {
      kind: 'creatives',
      ...listedCreatives(item, store.listing('creatives', creatives)?.rows ?? []),
      parent: { kind: 'line_items', record: item },
      empty: t`It has no creative yet, so it cannot serve.`,
      caption: t`Creatives${publisher ? t` for ${publisher.name}` : ''}`,
    });
  };
  /** What there is to see and to do, first what matters most where it is in its life. */
  const delivered = (item: LineItemWire, counted: Delivery): TemplateResult => {
    const read = course.saysEnd() || forecast.known() ? withoutEndings(counted) : counted;
    const currency = currencyOfCampaign(store, item.campaign_id);
    const isBlank = (store.listing('creatives', creatives)?.rows ?? []).length === 0 && !course.hasDelivered();
    const stage = stageOf(item, read, isBlank);
    const [status, terms] = [statusCard(page, read), termsCards(page, item, read, stage)];
    if (stage === 'blank') return html`${status} ${creativesCard(item)} ${terms}`;
    const flightCard = course.render({ ...bookedOf(item), currency }, ahead(item));
    switch (stage) {
      case 'future':
        return html`${status} ${flightCard} ${creativesCard(item)} ${terms}`;
      case 'over':
        return html`${status} ${flightCard} ${flow()} ${terms} ${creativesCard(item)}`;
      case 'running':
        return html`${status} ${flightCard} ${flow()} ${refusals.render()} ${recentDelivery(read, item, currency)} ${terms}
        ${creativesCard(item)}`;
    }
  };
  const render = (item: LineItemWire, title: string): TemplateResult => {
    const campaign = store.find('campaigns', item.campaign_id);
    return html`
      ${crumbs(
        [
          [hashOf(['campaigns']), t`Campaigns`],
          ...(campaign ? [[linkTo('campaigns', campaign.id), titleOf('campaigns', campaign)] as const] : []),
        ],
        title,
      )}
      ${pageHead(title, `${item.type === 'direct' ? t`Direct` : t`Programmatic`}, ${priceOf(item, currencyOfCampaign(store, item.campaign_id))}, ${flight(item)}`, actions(page, item))}
      ${others.render()} ${waiting()} ${delivery.render((read) => delivered(item, read))} ${comments()}
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
  ${archivedBy(page.store, 'line_items', item) || !page.rights.mayChange('line_items', item) ? nothing : button(item.active ? t`Pause` : t`Resume`, () => toggleActive(page, 'line_items', item).then(() => page.go(location.hash)), item.active ? 'secondary' : '')}
  ${editLink(page, 'line_items', item)} ${recordActions(page, 'line_items', item, linkTo('campaigns', item.campaign_id))}
`;
