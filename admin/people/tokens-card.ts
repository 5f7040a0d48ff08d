import { html, nothing, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { address, table, unbroken, type Column } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { actorName } from '../words/actor-name.ts';
import { date, moment } from '../words/dates.ts';
import { scopeWords } from './rights-words.ts';
import { rich, say, t } from '../words/texts.ts';

type Token = Answered<'GET', '/tokens'>[number];

const MAX_SHOWN = 1_000;

const isUsable = ({ revoked_at: revoked, expires_at: expires }: Token): boolean =>
  revoked === null && (expires === null || Date.parse(expires) > Date.now());

const stateOf = (token: Token): TemplateResult | string => {
  if (token.revoked_at !== null) return html`<span class="pill quiet">${t`revoked`}</span>`;
  if (!isUsable(token)) return html`<span class="pill warn">${t`expired`}</span>`;
  return token.expires_at === null ? t`does not expire` : unbroken(date(token.expires_at));
};

/** API tokens of programs, with those that can be used first. */
export const createTokensCard = (page: Page): { readonly render: () => TemplateResult | typeof nothing } => {
  const may = page.rights.may('GET', '/tokens');
  const tokens = createReading(
    page,
    async (api) => {
      const answer = await api.get('/tokens', { limit: MAX_SHOWN });
      if (answer.ok) await page.store.ensure('publishers', ...answer.value.flatMap(({ publishers }) => publishers ?? []));
      return answer;
    },
    { may, keep: true },
  );
  const revoke = async ({ id, name }: Token): Promise<void> => {
    const text = t`No replica accepts it from then on. The program that uses it stops working. This cannot be undone.`;
    if (!(await page.confirm({ title: t`Revoke the token “${name}”?`, text, yes: t`Revoke`, dangerous: true }))) return;
    const answer = await page.api.send('DELETE', '/tokens/{id}', { id });
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(t`The token “${name}” is revoked.`);
    await tokens.load();
  };
  const columns: readonly Column<Token>[] = [
    {
      label: t`Token`,
      cell: ({ name, prefix, created_by: by }) =>
        html`<strong>${name}</strong><br /><small class="muted">${rich`${prefix}… by ${address(actorName(by))}`}</small>`,
    },
    { label: t`Roles`, cell: ({ roles }) => roles.map(say).join(', ') },
    { label: t`For`, cell: (token) => scopeWords(page, token) },
    { label: t`Last used`, cell: ({ last_used_at: at }) => (at === null ? t`never` : unbroken(moment(at))) },
    { label: t`Ends`, cell: stateOf },
  ];
  const actions = (token: Token): TemplateResult =>
    isUsable(token) && page.rights.may('DELETE', '/tokens/{id}')
      ? html`${button(t`Revoke`, () => revoke(token), 'quiet danger-text', t`Revoke ${token.name}`)}`
      : html``;
  const add = page.rights.may('POST', '/tokens')
    ? html`<a role="button" class="secondary" href=${hashOf(['tokens', 'new'])}>${t`New token`}</a>`
    : nothing;
  return {
    render: () =>
      may
        ? card(
            t`API tokens`,
            html`${tokens.render((rows) =>
              rows.length === 0
                ? html`<p class="muted">${t`None yet. Each program that calls the API gets a token, with the roles that it needs.`}</p>`
                : table({
                    caption: t`API tokens`,
                    rows: rows.toSorted((a, b) => Number(isUsable(b)) - Number(isUsable(a))),
                    columns,
                    actions,
                  }),
            )}`,
            add,
          )
        : nothing,
  };
};
