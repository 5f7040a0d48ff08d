import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { component } from '../../api/component.ts';
import { idInPath } from '../../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent, OF_ONESELF, ok, PUBLIC } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { MAX_PASSWORD_LENGTH } from '../accounts/password.ts';
import { SIGNED_IN } from '../accounts/sign-in-api.ts';

const password = s.textOf({ maxLength: MAX_PASSWORD_LENGTH, description: "Of the account; '' where it has none" });
const OWNER = component('OwnerProof', s.closedRecord({ password }), { password: 'a staple that is correct' });

const PASSKEY = component('Passkey', s.record({ id: s.integer, name: s.text, created_at: s.moment, last_used_at: s.orNull(s.moment) }), {
  id: 4,
  name: 'Laptop',
  created_at: '2026-10-14T12:00:00.000Z',
  last_used_at: null,
});
/** As its owner sees it. */
export type Passkey = s.Shape<typeof PASSKEY>;
const FACTORS = component(
  'SecondFactors',
  s.record({
    totp: s.described(s.boolean, 'Whether signing in by password needs a code of an authenticator app'),
    recovery_codes: s.described(s.count, 'How many can still be used'),
    passkeys: s.listOf(PASSKEY),
  }),
  { totp: true, recovery_codes: 9, passkeys: [] },
);
const NEW_TOTP = component(
  'NewAuthenticator',
  s.record({
    secret: s.described(s.text, 'In base32, to type'),
    uri: s.described(s.text, 'otpauth://, for the app'),
    qr: s.record(
      { size: s.count, path: s.described(s.text, 'The path of an SVG, in a square of that size') },
      { description: 'The same as a QR code' },
    ),
    setup: s.described(s.text, 'Comes back with the first code, within ten minutes'),
  }),
  {
    secret: 'NB2W45DFOIZA',
    uri: 'otpauth://totp/Ad%20server:editor%40gazette.example?secret=NB2W45DFOIZA',
    qr: { size: 45, path: 'M4 4h1v1h-1z' },
    setup: '…',
  },
);
/** What an authenticator app is set up with. */
export type NewTotp = Omit<s.Shape<typeof NEW_TOTP>, 'qr'>;
const FIRST_CODE = component('FirstCode', s.closedRecord({ setup: s.textOf({ maxLength: 1_000 }), code: s.textOf({ maxLength: 32 }) }), {
  ...{ setup: '…', code: '287082' },
});
const RECOVERY_CODES = component('RecoveryCodes', s.record({ recovery_codes: s.described(s.listOf(s.text), 'Shown this once') }), {
  recovery_codes: ['NB2W-45DF-OIZA-GEZD'],
});

/** What browsers read by `PublicKeyCredential.parse…OptionsFromJSON()`. */
const CREATION = component(
  'PasskeyCreation',
  s.objectAs<PublicKeyCredentialCreationOptionsJSON>({ description: 'For navigator.credentials.create()' }),
  {
    ...{ challenge: 'c2VhbGVk', rp: { id: 'ads.gazette.example', name: 'Ad server' }, pubKeyCredParams: [{ alg: -7, type: 'public-key' }] },
    user: { id: 'Nw', name: 'editor@gazette.example', displayName: 'Editor' },
  },
);
const REQUEST = component(
  'PasskeyRequest',
  s.objectAs<PublicKeyCredentialRequestOptionsJSON>({ description: 'For navigator.credentials.get()' }),
  { challenge: 'c2VhbGVk', rpId: 'ads.gazette.example', userVerification: 'required' },
);

/** What browsers write by `PublicKeyCredential.toJSON()`: bytes in base64url. */
const bytes = s.textOf({ pattern: '^[\\w-]+$', maxLength: 20_000 });
const credentialOf = <R extends s.Schema>(response: R) =>
  s.record(
    { id: bytes, rawId: bytes, type: s.oneOf(['public-key']), response },
    { description: 'As PublicKeyCredential.toJSON() writes it' },
  );
const MADE = credentialOf(
  s.record({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: s.withDefault(s.listOf(s.textOf({ maxLength: 32 }), { maxItems: 10 }), []),
  }),
);
const SIGNED = credentialOf(s.record({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }));
export type MadeCredential = s.Shape<typeof MADE>;
export type SignedCredential = s.Shape<typeof SIGNED>;
const passkeyName = s.textOf({ pattern: '^\\S(.{0,58}\\S)?$' });
const PASSKEY_NAME = component('PasskeyName', s.closedRecord({ name: passkeyName }), { name: 'Phone' });
const NEW_PASSKEY = component('NewPasskey', s.closedRecord({ name: passkeyName, credential: MADE }), {
  name: 'Laptop',
  credential: {
    ...{ id: 'AQ', rawId: 'AQ', type: 'public-key' },
    response: { clientDataJSON: 'e30', attestationObject: 'oA', transports: ['internal'] },
  },
});
const PASSKEY_ANSWER = component('PasskeyAnswer', s.closedRecord({ credential: SIGNED }), {
  credential: {
    ...{ id: 'AQ', rawId: 'AQ', type: 'public-key' },
    response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
  },
});

/** How people prove who they are beside the password. */
export const FACTOR_API = defineRoutes({
  getMyFactors: {
    ...at('GET', '/api/me/factors', 'people', OF_ONESELF),
    summary: 'Your second factors and passkeys',
    answer: ok('They', FACTORS),
  },
  beginTotp: {
    ...at('POST', '/api/me/totp', 'people', OF_ONESELF),
    summary: 'Begin to set up an authenticator app. Nothing changes until its first code.',
    body: jsonBody(OWNER, 'The set-up has faults.'),
    answer: created('The secret of the app', NEW_TOTP),
  },
  confirmTotp: {
    ...at('PUT', '/api/me/totp', 'people', OF_ONESELF),
    summary: 'Set up the authenticator app, in place of the one before. Signing in by password needs its codes from now on.',
    body: jsonBody(FIRST_CODE, 'The set-up has faults.'),
    answer: ok('Ten recovery codes, in place of those before', RECOVERY_CODES),
  },
  removeTotp: {
    ...at('POST', '/api/me/totp/remove', 'people', OF_ONESELF),
    summary: 'Remove the authenticator app and the recovery codes',
    body: jsonBody(OWNER, 'The change has faults.'),
    answer: noContent('Removed'),
  },
  renewRecoveryCodes: {
    ...at('POST', '/api/me/recovery_codes', 'people', OF_ONESELF),
    summary: 'New recovery codes. Those before end.',
    body: jsonBody(OWNER, 'The change has faults.'),
    answer: created('Ten recovery codes', RECOVERY_CODES),
  },
  beginPasskey: {
    ...at('POST', '/api/me/passkeys/options', 'people', OF_ONESELF),
    summary: 'Begin to make a passkey, within ten minutes. Sets a cookie.',
    body: jsonBody(OWNER, 'The passkey has faults.'),
    answer: created('What the browser makes it by', CREATION),
  },
  addPasskey: {
    ...at('POST', '/api/me/passkeys', 'people', OF_ONESELF),
    summary: 'Store a passkey that the browser has made',
    body: jsonBody(NEW_PASSKEY, 'The passkey has faults.'),
    answer: created('The passkey', PASSKEY),
  },
  renamePasskey: {
    ...at('PATCH', '/api/me/passkeys/{id}', 'people', OF_ONESELF),
    summary: 'Rename a passkey',
    parameters: { id: idInPath('passkey of yours') },
    body: jsonBody(PASSKEY_NAME, 'The name has faults.'),
    answer: ok('The passkey', PASSKEY),
  },
  removePasskey: {
    ...at('DELETE', '/api/me/passkeys/{id}', 'people', OF_ONESELF),
    summary: 'Remove a passkey',
    parameters: { id: idInPath('passkey of yours') },
    answer: noContent('Removed'),
  },
  removeFactorsOfPerson: {
    ...at('DELETE', '/api/people/{id}/factors', 'people'),
    needs: 'people.write',
    summary: 'Remove authenticator app, recovery codes and passkeys of a person who has lost them',
    parameters: { id: idInPath('person') },
    answer: noContent('Removed'),
  },
});

const PROBLEMS = ['sign_in_failed', 'forbidden', 'too_many_requests', 'unavailable'] as const;

/** Signing in by a passkey, which needs neither an e-mail address nor a password. */
export const PASSKEY_API = defineRoutes({
  beginPasskeySignIn: {
    ...at('POST', '/auth/passkey/options', 'people', PUBLIC),
    summary: 'Begin to sign in by a passkey, within ten minutes. Sets a cookie.',
    answer: ok('What the browser asks its passkeys', REQUEST),
    problems: PROBLEMS,
  },
  signInByPasskey: {
    ...at('POST', '/auth/passkey', 'people', PUBLIC),
    summary: 'Sign in by a passkey. Sets the cookie of the session.',
    body: jsonBody(PASSKEY_ANSWER, 'The sign-in has faults.'),
    answer: ok('Signed in', SIGNED_IN),
    problems: PROBLEMS,
  },
});
