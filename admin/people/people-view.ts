import { html, nothing, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Page, View } from '../page.ts';
import { emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { table, unbroken, type Column } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { moment } from '../words/dates.ts';
import { scopeWords } from './rights-words.ts';
import { createTokensCard } from './tokens-card.ts';
import { say, t } from '../words/texts.ts';

export type Person = Answered<'GET', '/people'>[number];

/** As many as the service lists at once. */
const MAX_SHOWN = 1_000;

const stateOf = ({ disabled_at: disabled, last_seen_at: seen, has_password: hasPassword, passkeys }: Person): TemplateResult => {
  if (disabled !== null) return html`<span class="pill quiet">${t`disabled`}</span>`;
  if (seen === null && !hasPassword && passkeys === 0) return html`<span class="pill warn">${t`invited`}</span>`;
  return html`<span class="pill good">${t`may sign in`}</span>`;
};

/** Who may sign in, and what has a token. */
export const openPeople = (page: Page): View => {
  const { may, managesAll } = page.rights;
  const people = createReading(page, async (api) => {
    const answer = await api.get('/people', { limit: MAX_SHOWN });
    if (answer.ok)
      for (const kind of ['publishers', 'advertisers'] as const)
        await page.store.ensure(kind, ...answer.value.flatMap((person) => person[kind] ?? []));
    return answer;
  });
  const tokens = createTokensCard(page);
  const columns: readonly Column<Person>[] = [
    {
      label: t`Person`,
      cell: ({ id, name, email }) =>
        html`<a class="name" href=${hashOf(['people', id])}>${name}</a><br /><small class="muted">${email}</small>`,
    },
    { label: t`Roles`, cell: ({ roles }) => roles.map(say).join(', ') || t`none` },
    { label: t`For`, cell: (person) => scopeWords(page, person) },
    { label: t`Last seen`, cell: ({ last_seen_at: at }) => (at === null ? t`never` : unbroken(moment(at))) },
    { label: t`State`, cell: stateOf },
  ];
  const roles = managesAll ? html`<a role="button" class="secondary" href=${hashOf(['roles'])}>${t`Roles`}</a>` : nothing;
  const add = may('POST', '/people') ? html`<a role="button" href=${hashOf(['people', 'new'])}>${t`Invite a person`}</a>` : nothing;
  return {
    title: t`People`,
    section: 'people',
    render: () => html`
      ${pageHead(t`People`, t`Who may sign in, with what roles, and for whom. Every change takes effect with the next call.`, html`${roles} ${add}`)}
      ${people.render((rows) =>
        rows.length === 0
          ? emptyState(
              managesAll
                ? t`There is no account yet. Invite the first person, or let people sign in at a provider.`
                : t`No people of your advertisers yet. Those whom you invite see their own campaigns, and upload creatives.`,
            )
          : table({ caption: t`People`, rows, columns }),
      )}
      ${tokens.render()}
    `,
  };
};
