import { html, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Page, View } from '../page.ts';
import { button, crumbs, emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { table, unbroken, type Column } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { date, moment } from '../words/dates.ts';
import { linkTo, titleOf } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

type Link = Answered<'GET', '/report_links'>[number];

const MAX_SHOWN = 1_000;

const isUsable = ({ revoked_at: revoked, expires_at: expires }: Link): boolean => revoked === null && Date.parse(expires) > Date.now();

/** Read-only links to reports: who made each, and when it was last used. Those that can be used come first. */
export const openReportLinks = (page: Page): View => {
  const { store, rights } = page;
  const links = createReading(
    page,
    async (api) => {
      const answer = await api.get('/report_links', { limit: MAX_SHOWN });
      if (answer.ok) await store.ensure('advertisers', ...answer.value.map(({ advertiser_id: id }) => id));
      return answer;
    },
    { keep: true },
  );
  const revoke = async ({ id, title }: Link): Promise<void> => {
    const text = t`Whoever has the link sees nothing any more. This cannot be undone; a new link can be made.`;
    if (!(await page.confirm({ title: t`Revoke the link “${title}”?`, text, yes: t`Revoke`, dangerous: true }))) return;
    const answer = await page.api.send('DELETE', '/report_links/{id}', { id });
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(t`The link “${title}” is revoked.`);
    await links.load();
  };
  const advertiser = (id: number): TemplateResult | string => {
    const found = store.find('advertisers', id);
    return found ? html`<a href=${linkTo('advertisers', id)}>${titleOf('advertisers', found)}</a>` : t`advertiser ${id}`;
  };
  const columns: readonly Column<Link>[] = [
    {
      label: t`Link`,
      cell: ({ title, prefix, query }) =>
        html`<a class="name" href=${`${hashOf(['reports'])}?${query}`}>${title}</a><br /><small class="muted">${prefix}…</small>`,
    },
    { label: t`Advertiser`, cell: ({ advertiser_id: id }) => advertiser(id) },
    {
      label: t`Made by`,
      cell: ({ created_by: by, created_at: at }) => html`${by}<br /><small class="muted">${date(at.slice(0, 10))}</small>`,
    },
    { label: t`Last used`, cell: ({ last_used_at: at }) => (at === null ? t`never` : unbroken(moment(at))) },
    { label: t`Ends`, cell: stateOf },
  ];
  const actions = (link: Link): TemplateResult =>
    isUsable(link) && rights.may('DELETE', '/report_links/{id}')
      ? html`${button(t`Revoke`, () => revoke(link), 'quiet danger-text', t`Revoke ${link.title}`)}`
      : html``;
  return {
    title: t`Shared links`,
    section: 'reports',
    render: () => html`
      ${crumbs([[hashOf(['reports']), t`Reports`]], t`Shared links`)}
      ${pageHead(t`Shared links`, t`Anyone who has such a link sees the report of one advertiser, until it ends or is revoked.`)}
      ${links.render((rows) =>
        rows.length === 0
          ? emptyState(t`No report is shared by a link. Choose an advertiser under Share, on the screen of reports.`)
          : table({
              caption: t`Shared links`,
              columns,
              rows: rows.toSorted((a, b) => Number(isUsable(b)) - Number(isUsable(a))),
              actions,
            }),
      )}
    `,
  };
};

const stateOf = (link: Link): TemplateResult => {
  if (link.revoked_at !== null) return html`<span class="pill quiet">${t`revoked`}</span>`;
  return isUsable(link) ? unbroken(date(link.expires_at.slice(0, 10))) : html`<span class="pill quiet">${t`expired`}</span>`;
};
