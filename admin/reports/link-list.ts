import { html, type TemplateResult } from 'lit-html';
import type { Answer } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { button } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { address, table, unbroken, type Column } from '../parts/table.ts';
import { actorName } from '../words/actor-name.ts';
import { date, moment } from '../words/dates.ts';
import { t } from '../words/texts.ts';

/** What every shared link has. */
export interface ListedLink {
  readonly id: number;
  readonly title: string;
  readonly created_by: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

export interface LinkListOptions<Link extends ListedLink> {
  readonly caption: string;
  readonly read: () => Promise<Answer<readonly Link[]>>;
  readonly revoke: (id: number) => Promise<Answer<unknown>>;
  readonly mayRevoke: boolean;
  /** What the links show. */
  readonly columns: readonly Column<Link>[];
  readonly empty: TemplateResult;
}

const isUsable = ({ revoked_at: revoked, expires_at: expires }: ListedLink): boolean =>
  revoked === null && Date.parse(expires) > Date.now();

/** The links of one kind: who made each, and when it was last used. Those that can be used come first. */
export const createLinkList = <Link extends ListedLink>(page: Page, options: LinkListOptions<Link>): (() => TemplateResult) => {
  const links = createReading(page, options.read, { keep: true });
  const revoke = async ({ id, title }: Link): Promise<void> => {
    const text = t`It shows nothing any more. This cannot be undone; a new link can be made.`;
    if (!(await page.confirm({ title: t`Revoke the link “${title}”?`, text, yes: t`Revoke`, dangerous: true }))) return;
    const answer = await options.revoke(id);
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(t`The link “${title}” is revoked.`);
    await links.load();
  };
  const columns: readonly Column<Link>[] = [
    ...options.columns,
    {
      label: t`Made by`,
      cell: ({ created_by: by, created_at: at }) =>
        html`${address(actorName(by))}<br /><small class="muted">${date(at.slice(0, 10))}</small>`,
    },
    { label: t`Last used`, cell: ({ last_used_at: at }) => (at === null ? t`never` : unbroken(moment(at))) },
    { label: t`Ends`, cell: stateOf },
  ];
  const actions = (link: Link): TemplateResult =>
    isUsable(link) && options.mayRevoke
      ? html`${button(t`Revoke`, () => revoke(link), 'quiet danger-text', t`Revoke ${link.title}`)}`
      : html``;
  return () =>
    links.render((rows) =>
      rows.length === 0
        ? options.empty
        : table({ caption: options.caption, columns, rows: rows.toSorted((a, b) => Number(isUsable(b)) - Number(isUsable(a))), actions }),
    );
};

const stateOf = (link: ListedLink): TemplateResult => {
  if (link.revoked_at !== null) return html`<span class="pill quiet">${t`revoked`}</span>`;
  return isUsable(link) ? unbroken(date(link.expires_at.slice(0, 10))) : html`<span class="pill quiet">${t`expired`}</span>`;
};
