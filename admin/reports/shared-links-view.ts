import { html, nothing, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Kind } from '../api/wire.ts';
import type { Page, View } from '../page.ts';
import { card, crumbs, emptyState, pageHead } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { linkTo, NAMES, titleOf } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { createLinkList } from './link-list.ts';

type ReportLink = Answered<'GET', '/report_links'>[number];
type ProofLink = Answered<'GET', '/proof_links'>[number];

const MAX_SHOWN = 1_000;

/** Links that outsiders have: to reports, and to proofs of ads. */
export const openSharedLinks = (page: Page): View => {
  const { rights } = page;
  const reports = rights.may('GET', '/report_links') ? reportLinks(page) : undefined;
  const proofs = rights.may('GET', '/proof_links') ? proofLinks(page) : undefined;
  return {
    title: t`Shared links`,
    section: 'reports',
    render: () => html`
      ${crumbs([[hashOf(['reports']), t`Reports`]], t`Shared links`)}
      ${pageHead(t`Shared links`, t`Anyone who has such a link sees what it shows of one advertiser, until it ends or is revoked.`)}
      ${reports ? card(t`Reports`, reports()) : nothing} ${proofs ? card(t`Proofs of ads`, proofs()) : nothing}
    `,
  };
};

const named = <K extends Kind>({ store }: Page, kind: K, id: number): TemplateResult | string => {
  const found = store.find(kind, id);
  return found ? html`<a href=${linkTo(kind, id)}>${titleOf(kind, found)}</a>` : `${NAMES[kind].one} ${id}`;
};

const begun = (prefix: string): TemplateResult => html`<br /><small class="muted">${prefix}…</small>`;

const reportLinks = (page: Page): (() => TemplateResult) =>
  createLinkList<ReportLink>(page, {
    caption: t`Links to reports`,
    read: async () => {
      const answer = await page.api.get('/report_links', { limit: MAX_SHOWN });
      if (answer.ok) await page.store.ensure('advertisers', ...answer.value.map(({ advertiser_id: id }) => id));
      return answer;
    },
    revoke: (id) => page.api.send('DELETE', '/report_links/{id}', { id }),
    mayRevoke: page.rights.may('DELETE', '/report_links/{id}'),
    columns: [
      {
        label: t`Link`,
        cell: ({ title, prefix, query }) => html`<a class="name" href=${`${hashOf(['reports'])}?${query}`}>${title}</a>${begun(prefix)}`,
      },
      { label: t`Advertiser`, cell: ({ advertiser_id: id }) => named(page, 'advertisers', id) },
    ],
    empty: emptyState(t`No report is shared by a link. Choose an advertiser under Share, on the screen of reports.`),
  });

const proofLinks = (page: Page): (() => TemplateResult) =>
  createLinkList<ProofLink>(page, {
    caption: t`Links to proofs`,
    read: async () => {
      const answer = await page.api.get('/proof_links', { limit: MAX_SHOWN });
      if (!answer.ok) return answer;
      await page.store.ensure('campaigns', ...answer.value.map(({ campaign_id: id }) => id));
      await page.store.ensure('creatives', ...answer.value.flatMap(({ creative_id: id }) => id ?? []));
      return answer;
    },
    revoke: (id) => page.api.send('DELETE', '/proof_links/{id}', { id }),
    mayRevoke: page.rights.may('DELETE', '/proof_links/{id}'),
    columns: [
      { label: t`Link`, cell: ({ title, prefix }) => html`<span class="name">${title}</span>${begun(prefix)}` },
      {
        label: t`Shows`,
        cell: ({ campaign_id: campaign, creative_id: creative }) =>
          creative === null ? named(page, 'campaigns', campaign) : named(page, 'creatives', creative),
      },
    ],
    empty: emptyState(t`No ad is shared by a link. Open a campaign or a creative, and share its proof with the advertiser.`),
  });
