import { component } from '../../api/component.ts';
import { ownQuery, textInPath } from '../../api/parameters.ts';
import { at, defineRoutes, ownBody, PUBLIC } from '../../api/route.ts';
import * as s from '../../base/schema.ts';

const PROBLEMS = ['sign_in_failed', 'forbidden', 'too_many_requests', 'unavailable'] as const;

const redirect = (description: string) => ({
  ...{ status: 303, description },
  headers: { Location: { schema: s.text } },
});
const ENDED = redirect('To the trafficking page, signed in; or to the sign-in page, which says why not (`problem`)');

const EXAMPLE = { logout_token: 'eyJhbGciOiJSUzI1NiJ9.…' };
const LOGOUT = component('BackchannelLogout', s.closedRecord({ logout_token: s.text }), EXAMPLE);

/** Signing in at a provider of OpenID Connect. Browsers are redirected; programs that accept no HTML get problems. */
export const PROVIDER_API = defineRoutes({
  beginSignIn: {
    ...at('GET', '/auth/login', 'people', PUBLIC),
    summary: 'Begin to sign in: to the sign-in page, or to a provider',
    parameters: {
      provider: ownQuery(s.text, 'Which provider (GET /auth/methods). By default the sign-in page, or the only way to sign in'),
      to: ownQuery(s.text, 'Where on the trafficking page to go on, such as `#/campaigns`'),
    },
    answer: redirect('Where the browser signs in'),
    problems: PROBLEMS,
  },
  endSignIn: {
    ...at('GET', '/auth/callback', 'people', PUBLIC),
    summary: 'Where the provider of OIDC_ISSUER sends the browser back to',
    answer: ENDED,
    problems: PROBLEMS,
  },
  endSignInAt: {
    ...at('GET', '/auth/callback/{provider}', 'people', PUBLIC),
    summary: 'Where a provider of OIDC_PROVIDERS sends the browser back to',
    parameters: { provider: textInPath('provider') },
    answer: ENDED,
    problems: PROBLEMS,
  },
  signOutByProvider: {
    ...at('POST', '/auth/backchannel_logout', 'people', PUBLIC),
    summary: 'A provider ends sessions (OpenID Connect Back-Channel Logout 1.0)',
    body: ownBody(LOGOUT, { content: { 'application/x-www-form-urlencoded': { schema: LOGOUT, example: EXAMPLE } }, raw: true }),
    answer: { status: 200, description: 'The sessions have ended on every replica' },
    problems: ['invalid_request', 'body_too_large', 'unsupported_media', 'forbidden', 'unavailable'],
  },
});
