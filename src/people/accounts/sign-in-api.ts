import { component } from '../../api/component.ts';
import { accepted, at, defineRoutes, jsonBody, ok, PUBLIC } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { NAME_OF_100 } from '../../base/schema-faults.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './password.ts';

export const email = s.textOf({ format: 'email', maxLength: 254 });
export const personName = s.textOf({ pattern: NAME_OF_100, description: 'Without spaces around it' });
export const newPassword = s.textOf({ minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH });
const anyPassword = s.textOf({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH });
const linkSecret = s.textOf({ maxLength: 128, description: 'What the link has after #' });

const METHODS = component(
  'SignInMethods',
  s.record({
    required: s.described(s.boolean, 'Whether the trafficking tool needs a sign-in'),
    accounts: s.described(s.boolean, 'Whether there are accounts of this service'),
    mail: s.described(s.boolean, 'Whether a link to reset a password can be mailed'),
    providers: s.listOf(s.record({ id: s.text, name: s.text })),
  }),
  { required: true, accounts: true, mail: false, providers: [] },
);

export const SIGNED_IN = component(
  'SignedIn',
  s.record({ signed_in: s.described(s.boolean, 'false: the password is set, and signing in needs a one-time code as well') }),
  { signed_in: true },
);

const SIGNED_OUT = component(
  'SignedOut',
  s.record({
    continue_at: s.orNull(s.text, {
      description: 'The address at which the browser ends the session of the provider, too; null: there is none',
    }),
  }),
  { continue_at: null },
);

const LINK = component(
  'SignInLink',
  s.record({
    purpose: s.oneOf(['first', 'invitation', 'reset']),
    email: s.orNull(s.text, { description: 'null: of the first administrator, who chooses it' }),
    name: s.orNull(s.text),
  }),
  { purpose: 'invitation', email: 'editor@gazette.example', name: 'Editor' },
);

const SECRET = 'adsl_…';
const PASSWORD = 'correct horse battery';
const SIGN_IN = component(
  'SignIn',
  s.closedRecord({
    email,
    password: anyPassword,
    code: s.withDefault(s.textOf({ maxLength: 32, description: 'Of the authenticator app, or a recovery code' }), ''),
  }),
  { email: 'editor@gazette.example', password: PASSWORD, code: '' },
);
export type SignInBody = s.Shape<typeof SIGN_IN>;
const LINK_SECRET = component('LinkSecret', s.closedRecord({ secret: linkSecret }), { secret: SECRET });
const LINK_ANSWER = component(
  'LinkAnswer',
  s.closedRecord({
    secret: linkSecret,
    password: newPassword,
    email: s.optional(s.described(email, 'Of the first administrator')),
    name: s.optional(s.described(personName, 'Of the first administrator')),
  }),
  { secret: SECRET, password: PASSWORD },
);
const RESET_ANSWER = component(
  'PasswordResetAnswer',
  s.record({ mail: s.described(s.boolean, 'Whether mails are sent; if not, an administrator hands over a link') }),
  { mail: true },
);
const RESET = component('PasswordReset', s.closedRecord({ email }), { email: 'editor@gazette.example' });

const PROBLEMS = ['forbidden', 'too_many_requests', 'unavailable'] as const;

/** Signing in and out, for pages of this service. A session is a cookie; programs use API tokens. */
export const SIGN_IN_API = defineRoutes({
  getSignInMethods: {
    ...at('GET', '/auth/methods', 'people', PUBLIC),
    summary: 'How one can sign in',
    answer: ok('The methods', METHODS),
    problems: PROBLEMS,
  },
  readLink: {
    ...at('POST', '/auth/link', 'people', PUBLIC),
    asks: true,
    summary: 'What a link of an invitation or a reset is for',
    body: jsonBody(LINK_SECRET, 'The link has faults.'),
    answer: ok('The link', LINK),
    problems: ['invalid_link', ...PROBLEMS],
  },
  useLink: {
    ...at('POST', '/auth/password', 'people', PUBLIC),
    summary: 'Set a password by a link, which ends. The other sessions of the person end, too. Signs in.',
    body: jsonBody(LINK_ANSWER, 'The answer to the link has faults.'),
    answer: ok('The password is set', SIGNED_IN),
    problems: ['invalid_link', 'conflict', ...PROBLEMS],
  },
  signIn: {
    ...at('POST', '/auth/sign_in', 'people', PUBLIC),
    summary: 'Sign in by password. Sets the cookie of the session.',
    body: jsonBody(SIGN_IN, 'The sign-in has faults.'),
    answer: ok('Signed in', SIGNED_IN),
    problems: ['sign_in_failed', 'code_required', ...PROBLEMS],
  },
  resetPassword: {
    ...at('POST', '/auth/reset', 'people', PUBLIC),
    summary: 'Mail a link to reset a password, if there is such an account',
    body: jsonBody(RESET, 'The address has faults.'),
    answer: accepted('Whether there is such an account is not said', RESET_ANSWER),
    problems: PROBLEMS,
  },
  signOut: {
    ...at('POST', '/auth/logout', 'people', PUBLIC),
    summary: 'End the session of the cookie',
    answer: ok('Ended', SIGNED_OUT),
    problems: PROBLEMS,
  },
});
