import { CALLER_KINDS } from '../../access/caller.ts';
import { PERMISSION_NAMES, ROLES } from '../../access/permissions.ts';
import { component } from '../../api/component.ts';
import { idInPath } from '../../api/parameters.ts';
import { at, defineRoutes, jsonBody, noContent, OF_ONESELF, ok } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { RIGHTS_COLUMNS } from '../rights.ts';
import { MAX_PASSWORD_LENGTH } from './password.ts';
import { SESSION } from './person-api.ts';
import { PREFERENCES } from './preferences-schema.ts';
import { newPassword, personName } from './sign-in-api.ts';

const ME = component(
  'Me',
  s.record({
    kind: s.oneOf(CALLER_KINDS),
    id: s.orNull(s.integer, { description: 'Of the person or the API token; null: a token of ADMIN_TOKEN, or no sign-in is required' }),
    name: s.described(s.text, 'Of a person; of others as the history names them'),
    email: s.orNull(s.text, { description: 'Of a person: as the history names them' }),
    roles: RIGHTS_COLUMNS.roles.schema,
    permissions: s.listOf(s.oneOf(PERMISSION_NAMES)),
    publishers: RIGHTS_COLUMNS.publishers.schema,
    advertisers: RIGHTS_COLUMNS.advertisers.schema,
    session_id: s.orNull(s.integer, { description: 'Of the session that calls' }),
    preferences: s.nullOr(PREFERENCES, {}, 'No person: the page keeps them in the browser'),
    sells_to_agents: s.described(s.boolean, 'Whether agents of buyers may buy here: the setting ADCP'),
  }),
  {
    ...{ kind: 'token', id: 3, name: 'token:nightly export', email: null, roles: ['viewer'], permissions: [...ROLES.viewer] },
    ...{ publishers: [1], advertisers: null, session_id: null, preferences: null, sells_to_agents: false },
  },
);

const CHANGE = component('MeChange', s.closedRecord({ name: personName }), { name: 'Editor' });
const PASSWORD_CHANGE = component(
  'PasswordChange',
  s.closedRecord({
    current: s.textOf({ maxLength: MAX_PASSWORD_LENGTH, description: "'' where there is none yet" }),
    password: newPassword,
  }),
  { current: 'correct horse battery', password: 'a staple that is correct' },
);

/** What people see and change of themselves. */
export const ACCOUNT_API = defineRoutes({
  getMe: {
    ...at('GET', '/api/me', 'people', OF_ONESELF),
    summary: 'Who the caller is, and what it may do',
    answer: ok('The caller', ME),
  },
  changeMe: {
    ...at('PATCH', '/api/me', 'people', OF_ONESELF),
    summary: 'Change your name',
    body: jsonBody(CHANGE, 'The change has faults.'),
    answer: ok('The caller', ME),
  },
  changeMyPreferences: {
    ...at('PUT', '/api/me/preferences', 'people', OF_ONESELF),
    summary: 'Choose how the page looks for you',
    body: jsonBody(PREFERENCES, 'The preferences have faults.'),
    answer: ok('As stored', PREFERENCES),
  },
  changeMyPassword: {
    ...at('PUT', '/api/me/password', 'people', OF_ONESELF),
    summary: 'Change your password. Your other sessions end.',
    body: jsonBody(PASSWORD_CHANGE, 'The change has faults.'),
    answer: noContent('Changed'),
  },
  listMySessions: {
    ...at('GET', '/api/me/sessions', 'people', OF_ONESELF),
    summary: 'Where you are signed in',
    answer: ok('Sessions', s.listOf(SESSION)),
  },
  endMySession: {
    ...at('DELETE', '/api/me/sessions/{id}', 'people', OF_ONESELF),
    summary: 'End one of your sessions, at once on every replica',
    parameters: { id: idInPath('session of yours that has not ended') },
    answer: noContent('Ended'),
  },
  endMyOtherSessions: {
    ...at('DELETE', '/api/me/sessions', 'people', OF_ONESELF),
    summary: 'End all your sessions but the one that calls',
    answer: noContent('Ended'),
  },
});
