import { html, nothing, type TemplateResult } from 'lit-html';
import type { CampaignReport, ReportRow } from '../../src/trafficking/insight/report-columns.ts';
import { input } from '../fields/input.ts';
import { linkTo } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { button, card, crumbs, pageHead, usageBar } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf, type Route } from '../route.ts';
import { table, type Column } from '../parts/table.ts';
import type { CampaignWire } from '../service/wire.ts';
import { filteredClicks, filteredImpressions, reasonRows } from '../words/filtered-words.ts';
import { count, flight, money, percent } from '../words/formats.ts';
import { childrenCard, recordView } from './record-view.ts';
import { recordActions } from './row-actions.ts';

const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** A campaign: its line items and their delivery. */
export const openCampaign = async (page: Page, route: Route): Promise<View> => {
  const { store } = page;
  const id = Number(route.parts[1]);
  let span = { from: day(-13), to: day(0) };
  const path = () => `/campaigns/${id}/report?from=${span.from}&to=${span.to}`;
  const report = createReading<CampaignReport>(page, path);
  const dayInput = (label: string, name: keyof typeof span) =>
    input({
      type: 'date',
      label,
      value: span[name],
      onChange: (typed) => {
        span = { ...span, [name]: typed };
        if (span.from && span.to) void report.load();
      },
    });
  const fault = await store.refresh('campaigns', 'line_items', 'creatives');
  if (fault) page.complain(fault);

  return recordView(page, 'campaigns', id, (campaign, title) => {
    const publisher = store.find('publishers', campaign.publisher_id);
    return html`
      ${crumbs([[hashOf(['campaigns']), 'Campaigns']], title)}
      ${pageHead(
        title,
        html`${publisher ? html`For <a href=${linkTo('publishers', publisher.id)}>${publisher.name}</a>, ` : nothing}${flight(campaign)}`,
        html`<a role="button" href=${hashOf(['campaigns', id, 'edit'])}>Edit</a>
          ${recordActions(page, 'campaigns', campaign, hashOf(['campaigns']))}`,
      )}
      ${childrenCard(page, {
        kind: 'line_items',
        rows: store.all('line_items').filter(({ campaign_id }) => campaign_id === id),
        parent: { campaign_id: id },
        without: 'Campaign',
        empty: 'This campaign has no line items yet.',
      })}
      ${card(
        'Delivery',
        report.render((read) => reportTable(campaign, read)),
        html`<div class="row">
          ${dayInput('From', 'from')}${dayInput('To', 'to')}
          ${button('CSV', () => saveCsv(page, `${path()}&format=csv`, `campaign-${id}.csv`), 'secondary')}
        </div>`,
      )}
    `;
  });
};

const reportTable = (campaign: CampaignWire, { rows, row_count, totals, flat_fees }: CampaignReport): TemplateResult => {
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
    { label: 'Filtered', numeric: true, cell: filteredCell },
    { label: 'Impressions', numeric: true, cell: ({ impressions }) => count(impressions) },
    { label: 'Clicks', numeric: true, cell: ({ clicks }) => count(clicks) },
    { label: 'Click rate', numeric: true, cell: ({ ctr, impressions }) => (impressions === 0 ? '–' : percent(ctr)) },
    { label: 'Spend', numeric: true, cell: ({ spend }) => money(spend) },
    { label: 'eCPM', numeric: true, cell: ({ ecpm, impressions }) => (impressions === 0 ? '–' : money(ecpm)) },
  ];
  const sum: ReportRow = { ...totals, day: 'All', line_item_id: 0, line_item: null, creative_id: null };
  // Fees are agreed in advance and do not use the budget.
  const used = totals.spend - flat_fees;
  return html`
    ${campaign.budget === null ? nothing : usageBar({ label: 'Budget, in these days', used, limit: campaign.budget, show: money })}
    ${rows.length === 0 ? html`<p class="empty-preview">Nothing was delivered in these days.</p>` : table({ caption: 'Delivery by day', columns, rows: [...rows, sum], rowClass: (row) => (row === sum ? 'sum' : '') })}
    ${rows.length < row_count ? html`<p>The first ${count(rows.length)} of ${count(row_count)} rows. The CSV file has all of them.</p>` : nothing}
    ${reasonTable(totals)}
  `;
};

/** Impressions, and below them clicks. */
const filteredCell = (row: ReportRow): TemplateResult | string =>
  row.gross_impressions + row.gross_clicks === 0 ? '–' : html`${filteredImpressions(row)}<br />${filteredClicks(row)} clicks`;

/** Why hits of these days are filtered. */
const reasonTable = ({ filtered }: CampaignReport['totals']): TemplateResult | typeof nothing => {
  const rows = reasonRows(filtered);
  if (rows.length === 0) return nothing;
  return html`<details open>
    <summary>Why hits were filtered</summary>
    ${table({
      caption: 'Filtered hits by reason',
      rows,
      columns: [
        { label: 'Reason', cell: ({ reason }) => reason },
        { label: 'Impressions', numeric: true, cell: ({ impression }) => count(impression) },
        { label: 'Clicks', numeric: true, cell: ({ click }) => count(click) },
        { label: 'Events', numeric: true, cell: ({ event }) => count(event) },
      ],
    })}
  </details>`;
};

const saveCsv = async (page: Page, path: string, name: string): Promise<void> => {
  const answer = await page.api.file(path);
  if (!answer.ok) return page.complain(answer.problem);
  const url = URL.createObjectURL(answer.value);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
