import type { JWTPayload } from 'jose';
import { asError, isObject } from '../../base/narrow.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { SpentStore } from '../spent-store.ts';
import type { IdentityStore } from './identity-store.ts';
import { faultOf } from './provider-fault.ts';
import type { Provider } from './provider.ts';

/** How a logout token ended: `unavailable`: the provider's keys could not be read, and it may try again. */
export type LogoutOutcome = { readonly ok: true } | { readonly ok: false; readonly unavailable: boolean; readonly reason: Error };

export interface ProviderLogoutOptions {
  readonly providers: readonly Provider[];
  readonly sessions: Pick<SessionStore, 'revoke'>;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly spent: SpentStore;
}

export interface EndAtProviderOptions {
  readonly providers: readonly Provider[];
  readonly sessions: Pick<SessionStore, 'providerOf'>;
  readonly secretBox: SecretBox;
  /** The page of this service that the provider may send the browser to then. */
  readonly returnTo: string;
}

/** The seal of an ID token in the table of sessions. */
export const ID_TOKEN_PURPOSE = 'id token of a session';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** A logout token is sent at once; an older one is refused. */
const MAX_AGE_S = 300;

/** The name of a provider's session in the table of sessions: ids of several providers may be the same. */
export const providerSession = (issuer: string, sid: string): string => `${issuer} ${sid}`;

/**
 * Ends sessions because their provider says so, in a signed logout token (OpenID Connect Back-Channel
 * Logout 1.0, 2.6). Rejects when Postgres is unavailable.
 */
export const createProviderLogout =
  ({ providers, sessions, identities, spent }: ProviderLogoutOptions) =>
  async (token: string): Promise<LogoutOutcome> => {
    const provider = await issuerOf(token, providers);
    if (!provider) return refused('it names no provider of this service');
    let claims: JWTPayload;
    try {
      claims = await provider.verify(token, { maxAgeS: MAX_AGE_S });
    } catch (thrown) {
      const { problem, reason } = faultOf(thrown);
      return { ok: false, unavailable: problem === 'provider_unavailable', reason };
    }
    const { iss = '', sub, sid, jti, iat = 0, events, nonce } = claims;
    if (!isObject(events) || !isObject(events[EVENT])) return refused('it is no logout token');
    // An ID token has one: it must not pass as a logout token.
    if (nonce !== undefined) return refused('it has a nonce');
    if (typeof jti !== 'string') return refused('it has no id');
    if (typeof sid !== 'string' && typeof sub !== 'string') return refused('it names neither a session nor a person');
    if (!(await spent.spend(`logout ${iss} ${jti}`, new Date((iat + 2 * MAX_AGE_S) * 1000)))) return refused('it was used before');
    if (typeof sid === 'string') await sessions.revoke({ providerSession: providerSession(iss, sid) });
    else {
      const personId = sub === undefined ? undefined : await identities.find(iss, sub);
      if (personId !== undefined) await sessions.revoke({ personId, method: `oidc:${provider.settings.id}` });
    }
    return { ok: true };
  };

/** Where the browser ends the session that a session here came from; null: there is none, or the provider does not answer. */
export const endAtProvider =
  ({ providers, sessions, secretBox, returnTo }: EndAtProviderOptions) =>
  async (sessionId: number): Promise<string | null> => {
    const begun = await sessions.providerOf(sessionId);
    const provider = providers.find(({ settings }) => settings.id === begun?.id);
    const idToken = begun && secretBox.open(begun.sealedIdToken, ID_TOKEN_PURPOSE);
    if (!provider || idToken === undefined) return null;
    // Signing out here does not fail with the provider.
    const page = await provider.endSession(idToken, returnTo).catch(() => undefined);
    return page?.href ?? null;
  };

const refused = (words: string): LogoutOutcome => ({ ok: false, unavailable: false, reason: new Error(words) });

/** By the claim of a token that is not verified yet: the keys of that provider then verify it. */
const issuerOf = async (token: string, providers: readonly Provider[]): Promise<Provider | undefined> => {
  const { decodeJwt } = await import('jose');
  try {
    const { iss = '' } = decodeJwt(token);
    return providers.find(({ settings }) => plain(settings.issuer) === plain(iss));
  } catch (fault) {
    if (asError(fault).name === 'JWTInvalid') return undefined;
    throw fault;
  }
};

const plain = (issuer: string): string => issuer.replace(/\/$/, '');
