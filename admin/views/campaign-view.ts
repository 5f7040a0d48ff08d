import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import type { CampaignReport, ReportRow } from '../../src/trafficking/insight/report-columns.ts';
import { linkTo, titleOf } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { emptyState, loading, pageHead, problemNote, usageBar } from '../parts/parts.ts';
import { hashOf, type Route } from '../route.ts';
import { table, type Column } from '../parts/table.ts';
import type { CampaignWire, Problem } from '../service/wire.ts';
import { count, flight, money, percent } from '../words/formats.ts';
import { listColumns } from './list-columns.ts';
import { recordActions, rowActions } from './row-actions.ts';

const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** A campaign: its line items and their delivery. */
export const openCampaign = async (page: Page, route: Route): Promise<View> => {
  const { api, store } = page;
  const id = Number(route.parts[1]);
  let span = { from: day(-13), to: day(0) };
  let report: CampaignReport | undefined;
  let problem: Problem | undefined;

  const path = () => `/campaigns/${id}/report?from=${span.from}&to=${span.to}`;
  const load = async () => {
    const answer = await api.get<CampaignReport>(path());
    report = answer.ok ? answer.value : undefined;
    problem = answer.ok ? undefined : answer.problem;
    page.redraw();
  };
  const setSpan = (part: Partial<typeof span>) => {
    span = { ...span, ...part };
    if (span.from && span.to) void load();
  };
  void load();
  const fault = await store.refresh('campaigns', 'line_items', 'creatives');
  if (fault) page.complain(fault);
  const named = () => {
    const campaign = store.find('campaigns', id);
    return campaign ? titleOf('campaigns', campaign) : 'Campaign';
  };

  return {
    title: named(),
    section: 'campaigns',
    render: () => {
      const campaign = store.find('campaigns', id);
      if (!campaign) return html`${pageHead('Campaign', '')}${emptyState('This campaign does not exist. It may have been deleted.')}`;
      const publisher = store.find('publishers', campaign.publisher_id);
      return html`
        <nav class="crumbs" aria-label="Breadcrumb"><a href=${hashOf(['campaigns'])}>Campaigns</a> / <span>${named()}</span></nav>
        ${pageHead(
          named(),
          html`${publisher ? html`For <a href=${linkTo('publishers', publisher.id)}>${publisher.name}</a>, ` : nothing}${flight(campaign)}`,
          html`<a role="button" href=${hashOf(['campaigns', id, 'edit'])}>Edit</a>
            ${recordActions(page, 'campaigns', campaign, hashOf(['campaigns']))}`,
        )}
        ${lineItems(page, campaign)}
        <section class="card">
          <div class="card-head">
            <h2>Delivery</h2>
            <div class="row">
              <input
                type="date"
                aria-label="From"
                .value=${live(span.from)}
                @change=${(event: Event) => setSpan({ from: (event.target as HTMLInputElement).value })}
              />
              <input
                type="date"
                aria-label="To"
                .value=${live(span.to)}
                @change=${(event: Event) => setSpan({ to: (event.target as HTMLInputElement).value })}
              />
              <button type="button" class="secondary" @click=${() => void saveCsv(page, `${path()}&format=csv`, `campaign-${id}.csv`)}>
                CSV
              </button>
            </div>
          </div>
          ${problem ? problemNote(problem) : report ? reportTable(page, campaign, report) : loading()}
        </section>
      `;
    },
  };
};

const lineItems = (page: Page, campaign: CampaignWire): TemplateResult => {
  const rows = page.store.all('line_items').filter(({ campaign_id }) => campaign_id === campaign.id);
  const add = hashOf(['line_items', 'new'], { campaign_id: campaign.id });
  return html`<section class="card">
    <div class="card-head">
      <h2>Line items</h2>
      ${rows.length > 0 ? html`<a href=${add}>Add a line item</a>` : nothing}
    </div>
    ${
      rows.length === 0
        ? emptyState('This campaign has no line items yet.', { text: '', label: 'Add a line item', hash: add })
        : table({
            caption: 'Line items',
            rows,
            columns: listColumns(page, 'line_items').filter(({ label }) => label !== 'Campaign'),
            actions: (item) => rowActions(page, 'line_items', item),
          })
    }
  </section>`;
};

const reportTable = (page: Page, campaign: CampaignWire, { rows, totals }: CampaignReport): TemplateResult => {
  const columns: readonly Column<ReportRow>[] = [
    { label: 'Day', cell: (row) => row.day },
    {
      label: 'Line item',
      cell: (row) =>
        row.line_item_id > 0
          ? html`<a href=${linkTo('line_items', row.line_item_id)}>${row.line_item || `#${row.line_item_id}, deleted`}</a>`
          : '',
    },
    {
      label: 'Creative',
      cell: (row) => (row.creative_id ? html`<a href=${linkTo('creatives', row.creative_id)}>${row.creative_id}</a>` : ''),
    },
    { label: 'Serves', numeric: true, cell: ({ serves }) => count(serves) },
    { label: 'Impressions', numeric: true, cell: ({ impressions }) => count(impressions) },
    { label: 'Clicks', numeric: true, cell: ({ clicks }) => count(clicks) },
    { label: 'Click rate', numeric: true, cell: ({ ctr, impressions }) => (impressions === 0 ? '–' : percent(ctr)) },
    { label: 'Spend', numeric: true, cell: ({ spend }) => money(spend) },
    { label: 'eCPM', numeric: true, cell: ({ ecpm, impressions }) => (impressions === 0 ? '–' : money(ecpm)) },
  ];
  const sum: ReportRow = { ...totals, day: 'All', line_item_id: 0, line_item: null, creative_id: null };
  // Fees are agreed in advance and do not use the budget.
  const used = rows
    .filter(({ line_item_id }) => page.store.find('line_items', line_item_id)?.budget_type !== 'Flat')
    .reduce((sum, { spend }) => sum + spend, 0);
  return html`
    ${campaign.budget === null ? nothing : usageBar({ label: 'Budget, in these days', used, limit: campaign.budget, show: money })}
    ${rows.length === 0 ? html`<p class="empty-preview">Nothing was delivered in these days.</p>` : table({ caption: 'Delivery by day', columns, rows: [...rows, sum], rowClass: (row) => (row === sum ? 'sum' : '') })}
  `;
};

const saveCsv = async (page: Page, path: string, name: string): Promise<void> => {
  const answer = await page.api.file(path);
  if (!answer.ok) return page.complain(answer.problem);
  const url = URL.createObjectURL(answer.value);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
