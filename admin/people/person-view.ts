import { html, nothing, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import { createForm, type Draft } from '../bookings/forms/form.ts';
import { textOf } from '../bookings/forms/typed-text.ts';
import type { Page, View } from '../page.ts';
import { showPersonLink } from '../parts/dialogs.ts';
import { formSection } from '../parts/form-section.ts';
import { textField } from '../parts/fields/text-field.ts';
import { button, card, crumbs, emptyState, pageHead, problemNote } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf } from '../route.ts';
import { actorName } from '../words/actor-name.ts';
import { date, moment } from '../words/dates.ts';
import { inWords, rightsForm } from './rights-form.ts';
import { rightsDraft, rightsFields, rightsOf, type Role } from './rights-fields.ts';
import { rightsWords } from './rights-words.ts';
import { sessionsTable } from './sessions-table.ts';
import { t } from '../words/texts.ts';

type Person = Answered<'GET', '/people/{id}'>;

const BACK = hashOf(['people']);

/** One person: rights, links, sessions. */
export const openPerson = async (page: Page, id: number): Promise<View> => {
  const [person, roles] = await Promise.all([page.api.get('/people/{id}', { id }), page.api.get('/roles')]);
  const refused = !person.ok ? person.problem : !roles.ok ? roles.problem : undefined;
  if (!person.ok || !roles.ok)
    return {
      title: t`Person`,
      section: 'people',
      render: () => html`
        ${crumbs([[BACK, t`People`]], t`Person`)} ${pageHead(t`Person`, '')}
        ${refused?.status === 404 ? emptyState(t`This person does not exist.`, { text: '', label: t`All people`, hash: BACK }) : problemNote(refused!)}
      `,
    };
  const { publishers, advertisers } = person.value;
  await Promise.all([page.store.ensure('publishers', ...(publishers ?? [])), page.store.ensure('advertisers', ...(advertisers ?? []))]);
  return personView(page, person.value, roles.value);
};

const personView = (page: Page, initial: Person, roles: readonly Role[]): View => {
  const { id, name, email } = initial;
  const { may, me, managesAll } = page.rights;
  let person = initial;
  const sessions = createReading(page, (api) => api.get('/people/{id}/sessions', { id }), {
    keep: true,
    may: may('GET', '/people/{id}/sessions'),
  });
  const change = async (disabled: boolean): Promise<void> => {
    const text = t`All sessions end at once, and nobody can sign in as this person. Their records and their history stay.`;
    if (disabled && !(await page.confirm({ title: t`Disable ${name}?`, text, yes: t`Disable`, dangerous: true }))) return;
    const answer = await page.api.send('PATCH', '/people/{id}', { id, body: { disabled } });
    if (!answer.ok) return page.complain(answer.problem);
    person = answer.value;
    page.toast(disabled ? t`${name} is disabled.` : t`${name} may sign in again.`);
    await sessions.load();
  };
  const newLink = async (): Promise<void> => {
    const answer = await page.api.send('POST', '/people/{id}/link', { id });
    if (!answer.ok) return page.complain(answer.problem);
    const { link, mailed, expires_at: expires } = answer.value;
    if (link !== null) await showPersonLink(name, { link, mailed, expires: moment(expires ?? '') });
  };
  const removeFactors = async (): Promise<void> => {
    const text = t`Their authenticator app, recovery codes and passkeys end. Do this when they have lost them, and when you are sure that it is they who ask. Hand over a new link afterwards.`;
    if (!(await page.confirm({ title: t`Remove the second factors of ${name}?`, text, yes: t`Remove`, dangerous: true }))) return;
    const answer = await page.api.send('DELETE', '/people/{id}/factors', { id });
    if (!answer.ok) return page.complain(answer.problem);
    person = { ...person, has_totp: false, passkeys: 0 };
    page.toast(t`${name} signs in without second factors now.`);
    page.redraw();
  };
  const endSessions = async (): Promise<void> => {
    const answer = await page.api.send('DELETE', '/people/{id}/sessions', { id });
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(t`${name} is signed out everywhere.`);
    await sessions.load();
  };
  const form = createForm<Person>({
    page,
    draft: { name, ...rightsDraft(initial) },
    inWords,
    save: (draft: Draft, note) =>
      page.api.send('PATCH', '/people/{id}', {
        id,
        'Change-Note': note,
        body: { name: textOf(draft['name']).trim(), ...(managesAll && rightsOf(draft)) },
      }),
    onSaved: async () => {
      page.toast(t`${name} is saved. It takes effect with their next call.`);
      if (me.id === id) await page.readRights();
      page.go(BACK, { saved: true });
    },
  });
  const factors = (): string =>
    [
      person.has_password ? t`a password` : '',
      person.passkeys > 0 ? `${person.passkeys} ${person.passkeys === 1 ? 'passkey' : 'passkeys'}` : '',
      person.has_totp ? t`one-time codes` : '',
    ]
      .filter(Boolean)
      .join(', ');
  const actions = (): TemplateResult | typeof nothing =>
    may('PATCH', '/people/{id}')
      ? html`${person.disabled_at === null && may('POST', '/people/{id}/link') ? button(t`New link`, newLink, 'secondary') : nothing}
        ${(person.has_totp || person.passkeys > 0) && may('DELETE', '/people/{id}/factors') ? button(t`Remove second factors`, removeFactors, 'secondary danger-text') : nothing}
        ${person.disabled_at === null ? button(t`Disable`, () => change(true), 'secondary danger-text') : button(t`Enable`, () => change(false), 'secondary')}`
      : nothing;

  return {
    title: name,
    section: 'people',
    hasChanges: () => form.hasChanges() && !form.isSaving(),
    render: () => html`
      ${crumbs([[BACK, t`People`]], name)}
      ${pageHead(
        name,
        t`${email} · since ${date(person.created_at)}, by ${actorName(person.created_by)}${factors() ? t` · signs in with ${factors()}` : ''}`,
        actions(),
      )}
      ${person.disabled_at === null ? nothing : html`<p class="note bad">${t`Disabled since ${moment(person.disabled_at)}: nobody can sign in as this person.`}</p>`}
      ${rightsForm(
        form,
        html`${formSection(t`Who`, '', textField(form, { pointer: '/name', label: t`Name`, required: true }))}
        ${managesAll ? formSection(t`What they may do`, '', rightsFields(form, page, roles)) : formSection(t`What they may do`, '', html`<p class="wide">${rightsWords(page, person)}</p>`)}`,
        t`Save`,
        BACK,
      )}
      ${sessions.render((rows) =>
        card(
          t`Where they are signed in`,
          rows.length === 0 ? html`<p class="muted">${t`Nowhere.`}</p>` : sessionsTable(rows, me.session_id),
          rows.length > 0 && may('DELETE', '/people/{id}/sessions') ? button(t`Sign out everywhere`, endSessions, 'secondary') : nothing,
        ),
      )}
    `,
  };
};
