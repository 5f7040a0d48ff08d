import { html } from 'lit-html';
import { createForm, type Draft } from '../bookings/forms/form.ts';
import { textOf, textOrNull } from '../bookings/forms/typed-text.ts';
import type { Page, View } from '../page.ts';
import { showApiToken } from '../parts/dialogs.ts';
import { formSection } from '../parts/form-section.ts';
import { dateField } from '../parts/fields/date-field.ts';
import { textField } from '../parts/fields/text-field.ts';
import { crumbs, pageHead, problemNote } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { isoDateIn } from '../words/dates.ts';
import { inWords, rightsForm } from './rights-form.ts';
import { newRights, rightsFields, rightsOf } from './rights-fields.ts';
import { t } from '../words/texts.ts';

const BACK = hashOf(['people']);
/** Proposed for a new token. */
const LIFETIME_DAYS = 365;

/** A bare day is its beginning, as the API has moments. */
const momentOf = (typed: string | null): string | null => (typed?.length === 10 ? `${typed}T00:00:00Z` : typed);

/** The form of a new API token. */
export const openNewToken = async (page: Page): Promise<View> => {
  const roles = await page.api.get('/roles');
  const title = t`New API token`;
  if (!roles.ok) return { title, section: 'people', render: () => html`${pageHead(title, '')}${problemNote(roles.problem)}` };
  const form = createForm({
    page,
    draft: { name: '', expires_at: isoDateIn(LIFETIME_DAYS), ...newRights(page) },
    inWords,
    save: (draft: Draft, note) =>
      page.api.send('POST', '/tokens', {
        'Change-Note': note,
        body: { name: textOf(draft['name']).trim(), expires_at: momentOf(textOrNull(draft['expires_at'])), ...rightsOf(draft) },
      }),
    onSaved: async ({ name, token }) => {
      await showApiToken(name, token);
      page.toast(t`The token “${name}” was created.`);
      page.go(BACK, { saved: true });
    },
  });
  return {
    title,
    section: 'people',
    hasChanges: () => form.hasChanges() && !form.isSaving(),
    render: () => html`
      ${crumbs([[BACK, t`People`]], title)} ${pageHead(title, t`For a program. People have accounts.`)}
      ${rightsForm(
        form,
        html`${formSection(
          t`The token`,
          '',
          html`${textField(form, {
            ...{ pointer: '/name', label: t`Name`, required: true, placeholder: t`nightly export` },
            help: t`The history names it by this. No two tokens ever have the same.`,
          })}
          ${dateField(form, { pointer: '/expires_at', label: t`Ends`, help: t`In UTC. Empty: it does not expire.` })}`,
        )}
        ${formSection(t`What it may do`, '', rightsFields(form, page, roles.value))}`,
        t`Create the token`,
        BACK,
      )}
    `,
  };
};
