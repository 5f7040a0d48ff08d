import { html, nothing } from 'lit-html';
import type { ReportRow } from '../../src/reports/record-report/report-columns.ts';
import { createWaitingNote } from '../approvals/waiting-note.ts';
import { linkTo } from '../words/kinds.ts';
import { archivedBy } from '../words/archived.ts';
import type { Page, View } from '../page.ts';
import { button, crumbs, pageHead, statusPill, usageBar } from '../parts/parts.ts';
import { hashOf, type Route } from '../route.ts';
import type { Column } from '../parts/table.ts';
import { flight } from '../words/dates.ts';
import { money } from '../words/formats.ts';
import { toggleActive } from './actions.ts';
import { createOthersHere } from './others-here.ts';
import { createCampaignForecast } from '../forecast/campaign-forecast.ts';
import { createCourseCard, type Booked } from '../delivery/course/course-card.ts';
import { bookedOf } from '../delivery/line-item-view.ts';
import { createHistoryCard } from '../imports/history-card.ts';
import type { CampaignWire } from '../api/wire.ts';
import { createCommentsCard } from './comments-card.ts';
import { childrenCard, recordView } from './record-view.ts';
import { createFlowCard } from '../delivery/flow-card.ts';
import { shareProof } from '../proofing/share-proof.ts';
import { createReportCard } from '../reports/report-card.ts';
import { editLink, recordActions } from './row-actions.ts';
import { screenshotsCard } from './screenshots-card.ts';
import { currencyOfCampaign } from '../words/currency.ts';
import { t } from '../words/texts.ts';

/** A campaign: its line items and their delivery. */
export const openCampaign = async (page: Page, route: Route): Promise<View> => {
  const { store } = page;
  const id = Number(route.parts[1]);
  const itemColumn: Column<ReportRow> = {
    label: t`Line item`,
    cell: (row) => html`<a href=${linkTo('line_items', row.line_item_id)}>${row.line_item || t`#${row.line_item_id}, deleted`}</a>`,
  };
  const report = createReportCard<ReportRow>(page, {
    name: `campaigns-${id}`,
    may: page.rights.may('GET', '/campaigns/{id}/report'),
    read: (span) => page.api.get('/campaigns/{id}/report', { id, ...span }),
    csv: (span) => page.api.file('/campaigns/{id}/report', { id, ...span, format: 'csv' }),
    by: { label: t`By line item`, caption: t`Delivery by line item`, keyOf: ({ line_item_id: item }) => item, keys: [itemColumn] },
    keys: [
      itemColumn,
      {
        label: t`Creative`,
        cell: (row) => (row.creative_id ? html`<a href=${linkTo('creatives', row.creative_id)}>${row.creative_id}</a>` : ''),
      },
    ],
    head: ({ totals, flat_fees, currency }) => {
      const limit = store.find('campaigns', id)?.budget ?? null;
      // Fees are agreed in advance and do not use the budget.
      const used = totals.spend - flat_fees;
      return limit === null
        ? nothing
        : usageBar({ label: t`Budget, in these days`, used, limit, show: (amount) => money(amount, currency ?? 'USD') });
    },
  });
  const comments = createCommentsCard(page, 'campaigns', id, () => void course.load());
  const waiting = createWaitingNote(page, 'campaigns', id);
  const others = createOthersHere(page, 'campaigns', id);
  const items = `campaign_id=${id}&include=children`;
  /** The sums of its line items where each of them has one; the cost at most its budget. */
  const bookedIn = (campaign: CampaignWire): Booked => {
    const parts = (store.listing('line_items', items)?.rows ?? []).map(bookedOf);
    const sum = (of: (part: Omit<Booked, 'currency'>) => number | null): number | null =>
      parts.length > 0 && parts.every((part) => of(part) !== null) ? parts.reduce((all, part) => all + (of(part) ?? 0), 0) : null;
    const agreed = sum(({ cost }) => cost);
    const { budget } = campaign;
    return {
      flight: campaign,
      currency: currencyOfCampaign(store, campaign.id),
      goal: sum(({ goal }) => goal),
      cost: agreed !== null && budget !== null ? Math.min(agreed, budget) : (agreed ?? budget),
    };
  };
  const faults = await Promise.all([store.ensure('campaigns', id), store.read('line_items', items)]);
  for (const fault of faults) if (fault) page.complain(fault);
  const flow = createFlowCard(page, 'campaigns', id);
  const course = createCourseCard(page, 'campaign', id, store.find('campaigns', id));
  const forecast = createCampaignForecast(page, id);
  const history = createHistoryCard(page, { campaign_id: id });

  return recordView(
    page,
    'campaigns',
    id,
    (campaign, title) => {
      const publisher = store.find('publishers', campaign.publisher_id);
      const advertiser = store.find('advertisers', campaign.advertiser_id);
      return html`
        ${crumbs([[hashOf(['campaigns']), t`Campaigns`]], title)}
        ${pageHead(
          title,
          html`${publisher ? html`${t`For`} <a href=${linkTo('publishers', publisher.id)}>${publisher.name}</a>, ` : nothing}${
            advertiser ? html`${t`by`} <a href=${linkTo('advertisers', advertiser.id)}>${advertiser.name}</a>, ` : nothing
          }${flight(campaign)}
          ${statusPill(page.statuses.of('campaigns', id))}`,
          html`${archivedBy(store, 'campaigns', campaign) || !page.rights.mayChange('campaigns', campaign) ? nothing : button(campaign.active ? t`Pause` : t`Resume`, () => toggleActive(page, 'campaigns', campaign), campaign.active ? 'secondary' : '')}
          ${page.rights.may('POST', '/bookings') && page.rights.mayChange('campaigns', campaign) ? html`<a role="button" class="secondary" href=${hashOf(['campaigns', id, 'book'])}>${t`Open the booking`}</a>` : nothing}
          ${page.rights.may('POST', '/proof_links') ? button(t`Share a proof`, () => shareProof(page, { campaign_id: id }), 'secondary') : nothing}
          ${editLink(page, 'campaigns', campaign)} ${recordActions(page, 'campaigns', campaign, hashOf(['campaigns']))}`,
        )}
        ${others.render()} ${waiting()} ${course.render(bookedIn(campaign), forecast(campaign.end_date))} ${flow()}
        ${childrenCard(page, {
          kind: 'line_items',
          rows: store.listing('line_items', items)?.rows ?? [],
          parent: { kind: 'campaigns', record: campaign },
          empty: t`This campaign has no line items yet.`,
        })}
        ${report()} ${screenshotsCard(page, campaign)} ${history()} ${comments()}
      `;
    },
    others.leave,
  );
};
