import { html } from 'lit-html';
import { createForm, type Draft } from '../bookings/forms/form.ts';
import { textOf } from '../bookings/forms/typed-text.ts';
import type { Page, View } from '../page.ts';
import { showPersonLink } from '../parts/dialogs.ts';
import { formSection } from '../parts/form-section.ts';
import { textField } from '../parts/fields/text-field.ts';
import { crumbs, pageHead, problemNote } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { moment } from '../words/dates.ts';
import { inWords, rightsForm } from './rights-form.ts';
import { newRights, rightsFields, rightsOf } from './rights-fields.ts';
import { t } from '../words/texts.ts';

const BACK = hashOf(['people']);

/** The form of a new person. */
export const openInvite = async (page: Page): Promise<View> => {
  const roles = await page.api.get('/roles');
  const title = t`Invite a person`;
  if (!roles.ok) return { title, section: 'people', render: () => html`${pageHead(title, '')}${problemNote(roles.problem)}` };
  const form = createForm({
    page,
    draft: { email: '', name: '', ...newRights(page) },
    inWords,
    save: (draft: Draft, note) =>
      page.api.send('POST', '/people', {
        'Change-Note': note,
        body: { email: textOf(draft['email']).trim(), name: textOf(draft['name']).trim(), ...rightsOf(draft) },
      }),
    onSaved: async ({ name, link, mailed, expires_at: expires }) => {
      if (link !== null) await showPersonLink(name, { link, mailed, expires: moment(expires ?? '') });
      page.toast(link === null ? t`“${name}” may sign in at your provider.` : t`“${name}” is invited.`);
      page.go(BACK, { saved: true });
    },
  });
  return {
    title,
    section: 'people',
    hasChanges: () => form.hasChanges() && !form.isSaving(),
    render: () => html`
      ${crumbs([[BACK, t`People`]], title)} ${pageHead(title, '')}
      ${rightsForm(
        form,
        html`${formSection(
          t`Who`,
          t`The e-mail address is how the person signs in, and how the history names them. It cannot be changed.`,
          html`${textField(form, { pointer: '/email', label: t`E-mail address`, required: true, placeholder: 'ann@gazette.example' })}
          ${textField(form, { pointer: '/name', label: t`Name`, required: true, placeholder: t`Ann Example` })}`,
        )}
        ${formSection(t`What they may do`, '', rightsFields(form, page, roles.value))}`,
        t`Invite`,
        BACK,
      )}
    `,
  };
};
