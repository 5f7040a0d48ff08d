import { html, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Page, View } from '../page.ts';
import { button, card, emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf } from '../route.ts';
import { moment } from '../words/dates.ts';
import { counted, kindNamed, linkTo, NAMES } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

type Mention = Answered<'GET', '/me/inbox'>['mentions'][number];

/** What waits for the person at the page. */
export const openInbox = (page: Page): View => {
  const inbox = createReading(page, (api) => api.get('/me/inbox'), { keep: true });
  const done = async ({ id }: Mention): Promise<void> => {
    const answer = await page.api.send('DELETE', '/me/mentions/{id}', { id });
    if (!answer.ok) page.complain(answer.problem);
    await Promise.all([inbox.load(), page.inbox.load()]);
  };
  const line = (mention: Mention): TemplateResult => {
    const { entity, entity_id: id, name, at, by, text } = mention;
    const kind = kindNamed(entity)!;
    return html`<li>
      <p class="muted">
        <b>${by}</b>${t`, ${moment(at)}, on`} <a href=${linkTo(kind, id)}>${NAMES[kind].one} “${name}”</a>
        ${button(t`Done`, () => done(mention), 'quiet', t`Done with the mention by ${by}`)}
      </p>
      <p class="comment-text">${text}</p>
    </li>`;
  };
  return {
    title: t`Inbox`,
    section: 'inbox',
    render: () => html`
      ${pageHead(t`Inbox`, t`What waits for you: changes to approve, and comments that mention you.`)}
      ${inbox.render(({ approvals, mentions }) =>
        approvals + mentions.length === 0
          ? emptyState(t`Nothing waits for you.`)
          : html`
              ${approvals > 0 ? card(t`Approvals`, html`<p><a href=${hashOf(['approvals'])}>${t`${counted(approvals, 'change')} to approve or send back`}</a></p>`) : ''}
              ${
                mentions.length > 0
                  ? card(
                      t`Mentions`,
                      html`<ul class="comments">
                        ${mentions.map(line)}
                      </ul>`,
                    )
                  : ''
              }
            `,
      )}
    `,
  };
};
