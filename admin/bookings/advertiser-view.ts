import { html } from 'lit-html';
import type { AdvertiserReportRow } from '../../src/reports/record-report/report-columns.ts';
import { linkTo } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { crumbs, pageHead } from '../parts/parts.ts';
import { hashOf, type Route } from '../route.ts';
import type { Column } from '../parts/table.ts';
import { childrenCard, recordView } from './record-view.ts';
import { createFlowCard } from '../delivery/flow-card.ts';
import { createReportCard } from '../reports/report-card.ts';
import { editLink, recordActions } from './row-actions.ts';
import { t } from '../words/texts.ts';

/** An advertiser: its campaigns and their delivery, over all publishers. */
export const openAdvertiser = async (page: Page, route: Route): Promise<View> => {
  const { store } = page;
  const id = Number(route.parts[1]);
  const campaignColumn: Column<AdvertiserReportRow> = {
    label: t`Campaign`,
    cell: (row) => html`<a href=${linkTo('campaigns', row.campaign_id)}>${row.campaign}</a>`,
  };
  const report = createReportCard<AdvertiserReportRow>(page, {
    name: `advertisers-${id}`,
    may: page.rights.may('GET', '/advertisers/{id}/report'),
    read: (span) => page.api.get('/advertisers/{id}/report', { id, ...span }),
    csv: (span) => page.api.file('/advertisers/{id}/report', { id, ...span, format: 'csv' }),
    by: { label: t`By campaign`, caption: t`Delivery by campaign`, keyOf: ({ campaign_id: campaign }) => campaign, keys: [campaignColumn] },
    keys: [campaignColumn],
  });
  const flow = createFlowCard(page, 'advertisers', id);
  const campaigns = `advertiser_id=${id}&include=children`;
  const faults = await Promise.all([store.ensure('advertisers', id), store.read('campaigns', campaigns)]);
  for (const fault of faults) if (fault) page.complain(fault);

  return recordView(
    page,
    'advertisers',
    id,
    (advertiser, title) => html`
      ${crumbs([[hashOf(['advertisers']), t`Advertisers`]], title)}
      ${pageHead(
        title,
        [advertiser.domain, advertiser.contact, ...advertiser.labels].filter(Boolean).join(' · '),
        html`${editLink(page, 'advertisers', advertiser)} ${recordActions(page, 'advertisers', advertiser, hashOf(['advertisers']))}`,
      )}
      ${childrenCard(page, {
        kind: 'campaigns',
        rows: store.listing('campaigns', campaigns)?.rows ?? [],
        parent: { kind: 'advertisers', record: advertiser },
        empty: t`This advertiser has no campaigns yet.`,
      })}
      ${flow()} ${report()}
    `,
  );
};
