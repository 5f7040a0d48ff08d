import { html, nothing, type TemplateResult } from 'lit-html';
import { createForm, type Draft } from '../bookings/forms/form.ts';
import { listOf, textOf } from '../bookings/forms/typed-text.ts';
import type { Page, View } from '../page.ts';
import { formSection } from '../parts/form-section.ts';
import { checkField } from '../parts/fields/choice-field.ts';
import { textField } from '../parts/fields/text-field.ts';
import { button, crumbs, emptyState, pageHead, problemNote } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { capital, counted } from '../words/kinds.ts';
import { inWords, rightsForm } from './rights-form.ts';
import type { Role } from './rights-fields.ts';
import { permissionAreas, type PermissionArea } from './role-areas.ts';
import { say, t } from '../words/texts.ts';

const BACK = hashOf(['roles']);
const WAY = [
  [hashOf(['people']), t`People`],
  [BACK, t`Roles`],
] as const;
type PermissionName = Role['permissions'][number]['name'];

/** The form of a role that administrators make. @param id undefined: of a new one */
export const openRole = async (page: Page, id: number | undefined): Promise<View> => {
  const roles = await page.api.get('/roles');
  const role = roles.ok ? roles.value.find((one) => one.id !== null && one.id === id) : undefined;
  const title = id === undefined ? t`New role` : role ? capital(say(role.name)) : t`Role`;
  const head = (actions: TemplateResult | typeof nothing = nothing): TemplateResult =>
    html`${crumbs(WAY, title)} ${pageHead(title, t`It applies to the next call of everyone who has it.`, actions)}`;
  if (!roles.ok) return { title, section: 'people', render: () => html`${head()}${problemNote(roles.problem)}` };
  if (id !== undefined && !role) {
    const missing = emptyState(t`This role does not exist.`, { text: '', label: t`All roles`, hash: BACK });
    return { title, section: 'people', render: () => html`${crumbs(WAY, title)}${pageHead(title, '')}${missing}` };
  }
  const areas = permissionAreas(roles.value);
  const form = createForm({
    page,
    draft: { name: role?.name ?? '', ...draftOf(areas, role) },
    inWords,
    save: (draft: Draft, note) => {
      const body = {
        name: textOf(draft['name']).trim(),
        permissions: areas.flatMap(({ area }) => listOf(draft[area])) as PermissionName[],
      };
      return role?.id == null
        ? page.api.send('POST', '/roles', { body, 'Change-Note': note })
        : page.api.send('PATCH', '/roles/{id}', { id: role.id, body, 'Change-Note': note });
    },
    onSaved: async ({ name }) => {
      page.toast(t`The role “${name}” is saved.`);
      await page.readRights();
      page.go(BACK, { saved: true });
    },
  });
  const beginWith = async (): Promise<void> => {
    const name = await page.choose(
      t`Begin with the permissions of`,
      roles.value.map((one) => ({ value: one.name, shown: html`${capital(say(one.name))}` })),
    );
    const chosen = roles.value.find((one) => one.name === name);
    for (const [area, names] of Object.entries(chosen ? draftOf(areas, chosen) : {})) form.write(`/${area}`, names);
  };
  const remove = async (): Promise<void> => {
    if (role?.id == null) return;
    const uses = [role.people ? counted(role.people, 'person', 'people') : '', role.tokens ? counted(role.tokens, 'token') : ''].filter(
      Boolean,
    );
    const instead = uses.length === 0 ? undefined : await chooseInstead(page, role, roles.value, uses.join(' and '));
    if (instead === '') return;
    const text =
      instead === undefined
        ? t`No person and no token has it.`
        : t`${uses.join(' and ')} get the role ${instead} instead, with the next call.`;
    if (!(await page.confirm({ title: t`Delete the role “${role.name}”?`, text, yes: t`Delete`, dangerous: true }))) return;
    const answer = await page.api.send('DELETE', '/roles/{id}', { id: role.id, instead });
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(t`The role “${role.name}” is deleted.`);
    page.go(BACK, { saved: true });
  };
  const mine = new Set<string>(page.rights.me.permissions);
  const section = ({ area, permissions }: PermissionArea): TemplateResult =>
    formSection(
      say(area),
      '',
      checkField(form, {
        ...{ pointer: `/${area}`, label: t`Allows to`, wide: true },
        choices: permissions.filter(({ name }) => mine.has(name)).map(({ name, words }) => ({ value: name, label: capital(say(words)) })),
      }),
    );
  return {
    title,
    section: 'people',
    hasChanges: () => form.hasChanges() && !form.isSaving(),
    render: () => html`
      ${head(
        html`${button(t`Begin with …`, beginWith, 'secondary')}
        ${role && page.rights.may('DELETE', '/roles/{id}') ? button(t`Delete`, remove, 'secondary danger-text') : nothing}`,
      )}
      ${rightsForm(
        form,
        html`${formSection(
          t`The role`,
          t`Roles that are built in cannot be changed. The groups of a sign-in provider can stand for it, too.`,
          textField(form, { pointer: '/name', label: t`Name`, required: true, placeholder: t`booker`, maxLength: 40 }),
        )}
        ${form.faultsAt('/permissions').map((fault) => html`<p class="note bad" role="alert">${t`Permissions: ${fault}`}</p>`)}
        ${areas.map(section)}`,
        role ? t`Save` : t`Create the role`,
        BACK,
      )}
    `,
  };
};

/** The permissions of a role by area. */
const draftOf = (areas: readonly PermissionArea[], role: Role | undefined): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    areas.map(({ area }) => [area, (role?.permissions ?? []).filter((one) => one.area === area).map(({ name }) => name)] as const),
  );

const chooseInstead = (page: Page, { name }: Role, roles: readonly Role[], uses: string): Promise<string> =>
  page.choose(
    t`Which role do they get instead? It has ${uses}.`,
    roles
      .filter((one) => one.name !== name && one.name !== 'advertiser')
      .map((one) => ({ value: one.name, shown: html`${capital(say(one.name))}` })),
  );
