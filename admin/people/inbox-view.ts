import { html, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Page, View } from '../page.ts';
import { button, card, emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf } from '../route.ts';
import { moment } from '../words/dates.ts';
import { counted, kindNamed, linkTo, NAMES } from '../words/kinds.ts';
import { saidWords } from '../proofing/proof-words.ts';
import { t } from '../words/texts.ts';

type Mention = Answered<'GET', '/me/inbox'>['mentions'][number];
type Said = Answered<'GET', '/me/inbox'>['proofs'][number];

/** What waits for the person at the page. */
export const openInbox = (page: Page): View => {
  const inbox = createReading(page, (api) => api.get('/me/inbox'), { keep: true });
  const done = async (path: '/me/mentions/{id}' | '/me/proof_remarks/{id}', id: number): Promise<void> => {
    const answer = await page.api.send('DELETE', path, { id });
    if (!answer.ok) page.complain(answer.problem);
    await Promise.all([inbox.load(), page.inbox.load()]);
  };
  const line = (mention: Mention): TemplateResult => {
    const { entity, entity_id: id, name, at, by, text } = mention;
    const kind = kindNamed(entity)!;
    return html`<li>
      <p class="muted">
        <b>${by}</b>${t`, ${moment(at)}, on`} <a href=${linkTo(kind, id)}>${NAMES[kind].one} “${name}”</a>
        ${button(t`Done`, () => done('/me/mentions/{id}', mention.id), 'quiet', t`Done with the mention by ${by}`)}
      </p>
      <p class="comment-text">${text}</p>
    </li>`;
  };
  const saidLine = (said: Said): TemplateResult =>
    html`<li>
      <p class="muted">
        <b>${saidWords(said)}</b>${t`, ${moment(said.at)}, on`}
        <a href=${linkTo('creatives', said.creative_id)}>${NAMES.creatives.one} “${said.name}”</a>
        ${button(t`Done`, () => done('/me/proof_remarks/{id}', said.id), 'quiet', t`Done with what ${said.author} said`)}
      </p>
      ${said.text === '' ? '' : html`<p class="comment-text">${said.text}</p>`}
    </li>`;
  /** A list of what waits; nothing when it is empty. */
  const listed = <T>(title: string, rows: readonly T[], row: (one: T) => TemplateResult): TemplateResult | string =>
    rows.length === 0
      ? ''
      : card(
          title,
          html`<ul class="comments">
            ${rows.map(row)}
          </ul>`,
        );
  return {
    title: t`Inbox`,
    section: 'inbox',
    render: () => html`
      ${pageHead(t`Inbox`, t`What waits for you: changes to approve, what advertisers say of their ads, and comments that mention you.`)}
      ${inbox.render(({ approvals, mentions, proofs }) =>
        approvals + mentions.length + proofs.length === 0
          ? emptyState(t`Nothing waits for you.`)
          : html`
              ${approvals > 0 ? card(t`Approvals`, html`<p><a href=${hashOf(['approvals'])}>${t`${counted(approvals, 'change')} to approve or send back`}</a></p>`) : ''}
              ${listed(t`Proofs`, proofs, saidLine)} ${listed(t`Mentions`, mentions, line)}
            `,
      )}
    `,
  };
};
