import { html, nothing, type TemplateResult } from 'lit-html';
import type { Delivery } from '../../src/trafficking/insight/delivery.ts';
import { toggleActive } from './actions.ts';
import { daysChart, todayChart } from '../charts/delivery-charts.ts';
import { countryName } from '../fields/country-field.ts';
import { linkTo, publisherOfCampaign, titleOf } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { emptyState, loading, pageHead, pill, problemNote, usageBar } from '../parts/parts.ts';
import { hashOf, type Route } from '../route.ts';
import { table } from '../parts/table.ts';
import type { LineItemWire, Problem } from '../service/wire.ts';
import { dayGoal } from '../words/day-goal.ts';
import { deliveryWords, targetingWords } from '../words/delivery-words.ts';
import { count, flight, money, percent } from '../words/formats.ts';
import { listColumns, priceOf } from './list-columns.ts';
import { recordActions, rowActions } from './row-actions.ts';

const REFRESH_MS = 10_000;

/** One line item: its status and the reason, its delivery, and its limits. */
export const openLineItem = async (page: Page, route: Route): Promise<View> => {
  const { api, store } = page;
  const id = Number(route.parts[1]);
  let delivery: Delivery | undefined;
  let problem: Problem | undefined;

  const load = async () => {
    const answer = await api.get<Delivery>(`/line_items/${id}/delivery`);
    delivery = answer.ok ? answer.value : delivery;
    problem = answer.ok ? undefined : answer.problem;
    page.redraw();
  };
  void load();
  const timer = setInterval(() => document.visibilityState === 'visible' && void load(), REFRESH_MS);
  const found = await store.refresh('line_items', 'creatives');
  if (found) page.complain(found);
  const title = () => {
    const item = store.find('line_items', id);
    return item ? titleOf('line_items', item) : 'Line item';
  };

  return {
    title: title(),
    section: 'line_items',
    leave: () => clearInterval(timer),
    render: () => {
      const item = store.find('line_items', id);
      if (!item) return html`${pageHead('Line item', '')}${emptyState('This line item does not exist. It may have been deleted.')}`;
      const campaign = store.find('campaigns', item.campaign_id);
      return html`
        <nav class="crumbs" aria-label="Breadcrumb">
          <a href=${hashOf(['campaigns'])}>Campaigns</a> /
          ${campaign ? html`<a href=${linkTo('campaigns', campaign.id)}>${titleOf('campaigns', campaign)}</a>` : ''} /
          <span>${title()}</span>
        </nav>
        ${pageHead(title(), `${item.type === 'direct' ? 'Direct' : 'Programmatic'}, ${priceOf(item)}, ${flight(item)}`, actions(page, item))}
        ${problem ? problemNote(problem) : nothing} ${delivery ? standing(item, delivery) : problem ? nothing : loading()}
        ${creatives(page, item)}
      `;
    },
  };
};

const actions = (page: Page, item: LineItemWire): TemplateResult => html`
  <button
    type="button"
    @click=${async () => {
      await toggleActive(page, item);
      page.go(location.hash);
    }}
  >
    ${item.active ? 'Pause' : 'Resume'}
  </button>
  <a role="button" class="secondary" href=${hashOf(['line_items', item.id, 'edit'])}>Edit</a>
  ${recordActions(page, 'line_items', item, linkTo('campaigns', item.campaign_id))}
`;

const standing = (item: LineItemWire, delivery: Delivery): TemplateResult => {
  const { status, today, total } = delivery;
  const targeted = targetingWords(item, countryName);
  const figures: readonly (readonly [string, string])[] = [
    ['Impressions today', count(today.impressions)],
    ['Clicks today', count(today.clicks)],
    ['Click rate', today.impressions > 0 ? percent(today.clicks / today.impressions) : '–'],
    ['Spend today', money(today.spend)],
    ['Serves today', count(today.serves)],
    ['All impressions', count(total.impressions)],
  ];
  return html`
    <section class="card status-card">
      <div class="status-line">${pill(status.value)} ${status.reasons.map((reason) => html`<p>${reason}</p>`)}</div>
      <dl class="figures">
        ${figures.map(
          ([label, figure]) =>
            html`<div>
              <dt>${label}</dt>
              <dd>${figure}</dd>
            </div>`,
        )}
        ${Object.entries(today.events).map(
          ([type, times]) =>
            html`<div>
              <dt>“${type}” today</dt>
              <dd>${count(times)}</dd>
            </div>`,
        )}
      </dl>
    </section>
    <div class="two">
      <section class="card">
        <h2>Today</h2>
        <p class="legend">
          <span class="key line">impressions</span
          >${dayGoal(delivery) === null ? '' : html`<span class="key dashed">${item.pacing === 'ASAP' ? 'daily cap' : 'pacing target'}</span>`}<span
            >hours in UTC</span
          >
        </p>
        <ad-chart .chart=${todayChart(delivery)}></ad-chart>
      </section>
      <section class="card">
        <h2>Last 14 days</h2>
        <p class="legend"><span class="key line">impressions a day</span></p>
        ${delivery.last_days.some(({ impressions }) => impressions > 0) ? html`<ad-chart .chart=${daysChart(delivery)}></ad-chart>` : html`<p class="empty-preview">Nothing was delivered yet.</p>`}
        ${daysTable(delivery)}
      </section>
    </div>
    <div class="two">
      <section class="card">
        <h2>Caps and budgets</h2>
        ${bars(delivery)}
      </section>
      <section class="card">
        <h2>How it is delivered</h2>
        ${deliveryWords(item, delivery).map((sentence) => html`<p>${sentence}</p>`)}
        <p>${targeted.length === 0 ? 'Shown to every visitor.' : html`Shown to visitors ${targeted.join('; ')}.`}</p>
        <p><a href=${hashOf(['test'], { line_item_id: item.id })}>Try a visitor: would this person see it?</a></p>
      </section>
    </div>
  `;
};

const bars = ({ today, limits, total }: Delivery): TemplateResult => {
  const { daily_impression_cap, daily_spend_cap, budget, campaign_budget, campaign_spend } = limits;
  const all = [
    ...(daily_impression_cap === null
      ? []
      : [
          {
            label: 'Impressions today',
            used: today.impressions,
            held: today.committed - today.impressions,
            limit: daily_impression_cap,
            show: count,
          },
        ]),
    ...(daily_spend_cap === null ? [] : [{ label: 'Spend today', used: today.spend, limit: daily_spend_cap, show: money }]),
    ...(budget === null ? [] : [{ label: 'Total budget', used: total.spend, limit: budget, show: money }]),
    ...(campaign_budget === null ? [] : [{ label: 'Budget of the campaign', used: campaign_spend, limit: campaign_budget, show: money }]),
  ];
  return all.length === 0 ? html`<p>None is set. Only its flight limits it.</p>` : html`${all.map(usageBar)}`;
};

const daysTable = ({ last_days }: Delivery): TemplateResult | typeof nothing =>
  last_days.length === 0
    ? nothing
    : html`<details>
        <summary>As a table</summary>
        ${table({
          caption: 'Last 14 days',
          rows: [...last_days].reverse(),
          columns: [
            { label: 'Day', cell: ({ day }) => day },
            { label: 'Serves', numeric: true, cell: ({ serves }) => count(serves) },
            { label: 'Impressions', numeric: true, cell: ({ impressions }) => count(impressions) },
            { label: 'Clicks', numeric: true, cell: ({ clicks }) => count(clicks) },
            { label: 'Spend', numeric: true, cell: ({ spend }) => money(spend) },
          ],
        })}
      </details>`;

const creatives = (page: Page, item: LineItemWire): TemplateResult => {
  const rows = page.store.all('creatives').filter(({ line_item_id }) => line_item_id === item.id);
  const publisher = publisherOfCampaign(page.store, item.campaign_id);
  const add = hashOf(['creatives', 'new'], { line_item_id: item.id });
  return html`<section class="card">
    <div class="card-head">
      <h2>Creatives</h2>
      ${rows.length > 0 ? html`<a href=${add}>Add a creative</a>` : nothing}
    </div>
    ${
      rows.length === 0
        ? emptyState('It has no creative yet, so it cannot serve.', { text: '', label: 'Add a creative', hash: add })
        : table({
            caption: `Creatives${publisher ? ` for ${publisher.name}` : ''}`,
            columns: listColumns(page, 'creatives').filter(({ label }) => label !== 'Line item'),
            rows,
            actions: (creative) => rowActions(page, 'creatives', creative),
          })
    }
  </section>`;
};
