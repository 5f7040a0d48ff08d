import { schemaOf } from '../../api/columns.ts';
import { component } from '../../api/component.ts';
import { pagedList } from '../../api/paged-list.ts';
import { idInPath } from '../../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent, ok } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { rightsSchema } from '../rights.ts';
import { SESSION_COLUMNS, type Session } from '../sessions/session-store.ts';
import { PERSON_COLUMNS, type Person } from './person-store.ts';
import { email, personName } from './sign-in-api.ts';

const rights = { roles: ['trafficker'], publishers: [1], advertisers: null } as const;
const example = { email: 'editor@gazette.example', name: 'Editor', ...rights } as const;
const stored: Person = {
  ...{ id: 7, email: example.email, name: example.name, roles: ['trafficker'], publishers: [1], advertisers: null },
  ...{ has_password: true, has_totp: false, passkeys: 1, created_by: 'chief@gazette.example' },
  ...{ created_at: '2026-10-14T12:00:00.000Z', last_seen_at: '2026-10-14T13:37:00.000Z', disabled_at: null },
};
const PERSON = component('Person', schemaOf(PERSON_COLUMNS), stored);

const link = {
  link: s.orNull(s.text, { description: 'Where the person sets a password. Shown this once; null: there are no accounts of this service' }),
  mailed: s.described(s.boolean, 'Whether the link was mailed to the person'),
  expires_at: s.orNull(s.moment),
};
const linkExample = {
  link: 'https://ads.gazette.example/static/sign-in.html#adsl_…',
  mailed: false,
  expires_at: '2026-10-21T12:00:00.000Z',
};
const INVITED = component('InvitedPerson', s.record({ ...schemaOf(PERSON_COLUMNS).properties, ...link }), { ...stored, ...linkExample });
const PERSON_LINK = component('PersonLink', s.record(link), linkExample);

const NEW_PERSON = component('NewPerson', s.closedRecord({ email, name: personName, ...rightsSchema }), example);
const CHANGE = component(
  'PersonChange',
  s.closedRecord({
    name: s.optional(personName),
    roles: s.optional(rightsSchema.roles),
    publishers: s.optional(rightsSchema.publishers),
    advertisers: s.optional(rightsSchema.advertisers),
    disabled: s.optional(s.described(s.boolean, 'true ends all sessions of the person at once')),
  }),
  { roles: ['trafficker', 'approver'] },
);

const session: Session = {
  ...{ id: 12, method: 'password', device: 'Firefox on Linux', user_agent: 'Mozilla/5.0 …', network: '203.0.113.0/24', place: 'Berlin' },
  ...{ created_at: '2026-10-14T12:00:00.000Z', last_used_at: '2026-10-14T13:37:00.000Z', expires_at: '2026-10-28T12:00:00.000Z' },
};
export const SESSION = component('Session', schemaOf(SESSION_COLUMNS), session);

const INVITING = { needs: 'people.invite', reach: 'own' } as const;
const id = idInPath('person');

/**
 * People who may sign in. They are disabled, not deleted: the history names them. Who may invite people of advertisers
 * alone, or for some publishers, manages those of their scope.
 */
export const PERSON_API = defineRoutes({
  listPeople: {
    ...at('GET', '/api/people', 'people', INVITING),
    summary: 'People by name, disabled ones last',
    ...pagedList('People', PERSON, {}),
  },
  getPerson: {
    ...at('GET', '/api/people/{id}', 'people', INVITING),
    summary: 'One person',
    parameters: { id },
    answer: ok('The person', PERSON),
  },
  invitePerson: {
    ...at('POST', '/api/people', 'people', INVITING),
    summary: 'Invite a person. The link is mailed where mail is set up, and shown this once.',
    body: jsonBody(NEW_PERSON, 'The person has faults.'),
    answer: created('Invited', INVITED),
  },
  changePerson: {
    ...at('PATCH', '/api/people/{id}', 'people', INVITING),
    summary: 'Change the name or the rights of a person, disable or enable them. Rights apply to the next call.',
    parameters: { id },
    body: jsonBody(CHANGE, 'The change has faults.'),
    answer: ok('The person', PERSON),
  },
  linkPerson: {
    ...at('POST', '/api/people/{id}/link', 'people', INVITING),
    summary: 'A link by which the person sets a new password. Earlier links end.',
    parameters: { id },
    answer: created('The link', PERSON_LINK),
  },
  listSessionsOfPerson: {
    ...at('GET', '/api/people/{id}/sessions', 'people'),
    needs: 'people.write',
    summary: 'The sessions of a person that have not ended',
    parameters: { id },
    answer: ok('Sessions', s.listOf(SESSION)),
  },
  endSessionsOfPerson: {
    ...at('DELETE', '/api/people/{id}/sessions', 'people'),
    needs: 'people.write',
    summary: 'End all sessions of a person, at once on every replica',
    parameters: { id },
    answer: noContent('Ended'),
  },
});
