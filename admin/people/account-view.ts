import { html, nothing, type TemplateResult } from 'lit-html';
import { askAuth } from '../api/auth.ts';
import type { Page, View } from '../page.ts';
import { button, card, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { createTypedForm } from '../parts/typed-form.ts';
import { EMAIL, NAME, NEW_PASSWORD } from '../words/password-fields.ts';
import { createFactorsCard } from './factors-card.ts';
import { preferencesCard } from './preferences-card.ts';
import { rightsWords } from './rights-words.ts';
import { sessionsTable, type Session } from './sessions-table.ts';
import { t } from '../words/texts.ts';

/** What people see and change of themselves. */
export const openAccount = (page: Page): View => {
  const { me } = page.rights;
  const view = { title: t`Your account`, section: 'account' } as const;
  if (me.kind !== 'person')
    return {
      ...view,
      title: t`Preferences`,
      render: () => html`${pageHead(t`Preferences`, '')}${preferencesCard(page)}`,
    };
  const { redraw } = page;
  const email = me.email ?? '';
  const sessions = createReading(page, (api) => api.get('/me/sessions'), { keep: true });
  const factors = createFactorsCard(page);
  let hasAccounts = false;
  void askAuth('GET', '/auth/methods').then((answer) => {
    hasAccounts = answer.ok && answer.value.accounts;
    redraw();
  });
  void page.store.ensure('publishers', ...(me.publishers ?? [])).then(redraw);
  void page.store.ensure('advertisers', ...(me.advertisers ?? [])).then(redraw);

  const nameForm = createTypedForm({
    redraw,
    fields: [{ ...NAME, value: me.name }],
    submit: t`Save`,
    send: ({ name = '' }) => page.api.send('PATCH', '/me', { body: { name: name.trim() } }),
    onSent: async () => {
      await page.readRights();
      page.toast(t`Your name is saved.`);
    },
  });
  const passwordForm = createTypedForm({
    redraw,
    fields: [
      { ...EMAIL, value: email, readOnly: true },
      {
        ...{ name: 'current', label: t`Current password`, type: 'password', autocomplete: 'current-password', mayBeEmpty: true },
        help: t`Empty, if you have none yet.`,
      },
      NEW_PASSWORD,
    ],
    submit: t`Change the password`,
    send: ({ current = '', password = '' }) => page.api.send('PUT', '/me/password', { body: { current, password } }),
    clears: true,
    onSent: async () => {
      page.toast(t`Your password is changed, and you are signed out everywhere else.`);
      await sessions.load();
    },
  });
  const end = async ({ id }: Session): Promise<void> => {
    const answer = await page.api.send('DELETE', '/me/sessions/{id}', { id });
    if (!answer.ok) page.complain(answer.problem);
    await sessions.load();
  };
  const endOthers = async (): Promise<void> => {
    const answer = await page.api.send('DELETE', '/me/sessions');
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(t`You are signed out everywhere else.`);
    await sessions.load();
  };
  const endButton = (session: Session): TemplateResult =>
    session.id === me.session_id ? html`` : button(t`End`, () => end(session), 'quiet', t`End the session of ${session.device}`);

  return {
    ...view,
    render: () => html`
      ${pageHead(t`Your account`, html`${email} · ${rightsWords(page, me)}`)}
      <div class="two">${card(t`Name`, nameForm())} ${hasAccounts ? card(t`Password`, passwordForm()) : nothing}</div>
      ${preferencesCard(page)} ${hasAccounts ? factors.render() : nothing}
      ${sessions.render((rows) =>
        card(
          t`Where you are signed in`,
          sessionsTable(rows, me.session_id, endButton),
          rows.length > 1 ? button(t`Sign out everywhere else`, endOthers, 'secondary') : nothing,
        ),
      )}
    `,
  };
};
