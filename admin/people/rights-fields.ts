import { html, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import { listOf } from '../bookings/forms/typed-text.ts';
import type { Form } from '../bookings/forms/form.ts';
import { findRecords } from '../bookings/lists/find-records.ts';
import type { Page } from '../page.ts';
import { checkField } from '../parts/fields/choice-field.ts';
import { recordsField } from '../parts/fields/record-field.ts';
import { capital, titleIn } from '../words/kinds.ts';
import type { Me } from '../api/rights.ts';
import { say, t } from '../words/texts.ts';

export type Role = Answered<'GET', '/roles'>[number];

/** Rights as a form holds them: no publisher and no advertiser are all of them. */
export interface RightsDraft {
  readonly roles: readonly string[];
  readonly publishers: readonly string[];
  readonly advertisers: readonly string[];
}

/** Of someone new. Who does not manage all people gives this role alone, for publishers of theirs. */
export const newRights = ({ rights: { me, managesAll } }: Page): RightsDraft => ({
  roles: managesAll ? [] : [OF_ADVERTISERS],
  publishers: (me.publishers ?? []).map(String),
  advertisers: [],
});
const OF_ADVERTISERS = 'advertiser';

export const rightsDraft = ({ roles, publishers, advertisers }: Pick<Me, 'roles' | 'publishers' | 'advertisers'>): RightsDraft => ({
  roles,
  publishers: (publishers ?? []).map(String),
  advertisers: (advertisers ?? []).map(String),
});

const idsOf = (chosen: unknown): readonly number[] | null => {
  const ids = listOf(chosen).map(Number);
  return ids.length === 0 ? null : ids;
};

/** Rights as they are sent. */
export const rightsOf = (draft: Readonly<Record<string, unknown>>): Pick<Me, 'roles' | 'publishers' | 'advertisers'> => ({
  roles: listOf(draft['roles']),
  publishers: idsOf(draft['publishers']),
  advertisers: idsOf(draft['advertisers']),
});

const scopeField = (form: Form, page: Page, kind: 'publishers' | 'advertisers', help: string): TemplateResult =>
  recordsField(form, page, {
    ...{ pointer: `/${kind}`, label: capital(kind), kind, help, find: findRecords(page.api, kind) },
    labelOf: (id) => titleIn(page.store, kind, id),
  });

const includes = (role: Role, other: Role): boolean =>
  other.permissions.every(({ name }) => role.permissions.some((each) => each.name === name));

/** What a role allows; of a role that includes another one, what it adds to that. */
const roleWords = (role: Role, roles: readonly Role[]): string => {
  if (roles.every((other) => includes(role, other))) return t`everything`;
  const base = roles.find((other) => other !== role && other.id === null && includes(role, other));
  const added = role.permissions.filter(({ name }) => !base?.permissions.some((each) => each.name === name));
  return [...(base ? [t`as a ${say(base.name)}`] : []), ...added.map(({ words }) => say(words))].join('; ');
};

/** Roles with what each allows, and for whom. */
export const rightsFields = (form: Form, page: Page, roles: readonly Role[]): TemplateResult => {
  const mine = new Set<string>(page.rights.me.permissions);
  // A role is given by those who have its permissions.
  const given = roles
    .filter(({ name }) => page.rights.managesAll || name === OF_ADVERTISERS)
    .filter(({ permissions }) => permissions.every(({ name }) => mine.has(name)));
  return html`
    ${checkField(form, {
      ...{
        pointer: '/roles',
        label: t`Roles`,
        required: true,
        wide: true,
        help: t`With several roles, someone may do what any of them allows.`,
      },
      choices: given.map((role) => ({
        value: role.name,
        label: capital(say(role.name)),
        note: roleWords(role, roles),
      })),
    })}
    ${scopeField(form, page, 'publishers', page.rights.me.publishers ? t`Some of yours.` : t`Empty: all publishers, also those that are created later.`)}
    ${scopeField(form, page, 'advertisers', t`Empty: all advertisers of the publishers. The role advertiser is for some.`)}
  `;
};
