/*
 * A provider of OpenID Connect as a process, for tests (start-oidc-provider.ts). People sign in without a page: the request to
 * the address of an interaction names the account in X-Account; `cancel` refuses.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const { PORT, CLIENTS, PEOPLE, LATE_ACCOUNT = '', LEAN_TOKENS = '' } = process.env;
const people = JSON.parse(PEOPLE);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { ...privateKey.export({ format: 'jwk' }), kid: `key of ${Date.now()}`, use: 'sig', alg: 'RS256' };

const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  clients: JSON.parse(CLIENTS),
  jwks: { keys: [key] },
  cookies: { keys: ['a key of the tests'] },
  scopes: ['openid', 'email', 'profile', 'groups'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  // By the standard, claims of scopes are at the userinfo endpoint; many providers put them into the token.
  conformIdTokenClaims: LEAN_TOKENS !== '',
  ttl: {
    AuthorizationCode: (_ctx, { accountId }) => (accountId === LATE_ACCOUNT ? 1 : 60),
    AccessToken: 600,
    IdToken: 600,
    Session: 3_600,
    Grant: 3_600,
    Interaction: 600,
  },
  features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  // By default it sends nothing to loopback.
  fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined }),
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  findAccount: (_ctx, sub) => people[sub] && { accountId: sub, claims: () => ({ sub, ...people[sub] }) },
  loadExistingGrant: async ({ oidc }) => {
    const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope('openid email profile groups');
    await grant.save();
    return grant;
  },
});

// What goes wrong is in the output of the process.
for (const event of ['server_error', 'backchannel.error']) provider.on(event, (_ctx, fault) => console.error(event, fault));

const answer = provider.callback();
createServer(async (request, response) => {
  if (!request.url.startsWith('/interaction/')) return answer(request, response);
  const account = request.headers['x-account'];
  const result = account === 'cancel' ? { error: 'access_denied' } : { login: { accountId: account } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}).listen(Number(PORT), '127.0.0.1');
