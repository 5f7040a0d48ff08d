import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Configuration } from 'openid-client';
import { MS_PER_HOUR } from '../../base/utc-day.ts';
import type { BegunSignIn } from './begun-sign-in.ts';
import { groupsIn } from './group-rights.ts';
import type { ProviderSettings } from './read-providers.ts';

/** Who has signed in, as the provider says. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly name: string | undefined;
  readonly groups: readonly string[];
  /** Its session at the provider; null: it names none. */
  readonly session: string | null;
  readonly idToken: string;
}

export interface ProviderOptions {
  readonly settings: ProviderSettings;
  readonly toolUrl: string;
}

const TIMEOUT_S = 5;
/** Keys that are not known are asked for again at most so often. */
const KEYS_COOLDOWN_MS = 5_000;
/** A provider changes its addresses and keys at most so long before it is asked again. */
const DISCOVERED_FOR_MS = MS_PER_HOUR;
/** A clock may be off by this. */
const CLOCK_TOLERANCE_S = 30;
/** Signed by keys that only the provider has. */
const SIGNATURES = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

type BrowserState = Pick<BegunSignIn, 'state' | 'nonce' | 'verifier'>;

interface Discovered {
  readonly config: Configuration;
  readonly keys: JWTVerifyGetKey;
  readonly until: number;
}

/**
 * A provider of OpenID Connect. Every method rejects when it does not answer, or not as the standard says: see faultOf.
 * Nothing is asked of the provider before the first sign-in: a provider that is down delays neither
 * the start nor any other request. A failed discovery is repeated with the next sign-in; what was discovered before is used
 * meanwhile. The packages are loaded then, too: most replicas need them rarely or never.
 */
export const createProvider = ({ settings, toolUrl }: ProviderOptions) => {
  const { issuer, clientId, clientSecret, groupsClaim, roles } = settings;
  const redirectUri = toolUrl + settings.callback;
  const load = () => Promise.all([import('openid-client'), import('jose')]);

  const discover = async (): Promise<Discovered> => {
    const [oidc, { createRemoteJWKSet }] = await load();
    const insecure = issuer.startsWith('http://') ? [oidc.allowInsecureRequests] : [];
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, undefined, { execute: insecure, timeout: TIMEOUT_S });
    const metadata = found.serverMetadata();
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const proof =
      clientSecret === undefined
        ? oidc.None()
        : methods.includes('client_secret_post')
          ? oidc.ClientSecretPost(clientSecret)
          : oidc.ClientSecretBasic(clientSecret);
    const config = new oidc.Configuration(metadata, clientId, { [oidc.clockTolerance]: CLOCK_TOLERANCE_S }, proof);
    config.timeout = TIMEOUT_S;
    for (const allow of insecure) allow(config);
    if (metadata.jwks_uri === undefined) throw new Error('the provider names no keys (jwks_uri)');
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), { timeoutDuration: TIMEOUT_S * 1000, cooldownDuration: KEYS_COOLDOWN_MS });
    return { config, keys, until: Date.now() + DISCOVERED_FOR_MS };
  };
  let last: Discovered | undefined;
  let running: Promise<Discovered> | undefined;
  const discovered = async (): Promise<Discovered> => {
    if (last && last.until > Date.now()) return last;
    running ??= discover().finally(() => (running = undefined));
    try {
      last = await running;
    } catch (fault) {
      if (!last) throw fault;
    }
    return last;
  };

  const verify = async (token: string, { maxAgeS }: { readonly maxAgeS?: number } = {}): Promise<JWTPayload> => {
    const [, { jwtVerify }] = await load();
    const { config, keys } = await discovered();
    const { payload } = await jwtVerify(token, keys, {
      ...{ issuer: config.serverMetadata().issuer, audience: clientId, algorithms: SIGNATURES, clockTolerance: CLOCK_TOLERANCE_S },
      ...(maxAgeS !== undefined && { maxTokenAge: maxAgeS }),
    });
    return payload;
  };

  return {
    settings,
    /** The claims of a token that the provider has signed for this client. */
    verify,

    /** Where the browser signs in. */
    begin: async ({ state, nonce, verifier }: BrowserState): Promise<URL> => {
      const [oidc] = await load();
      const { config } = await discovered();
      // Some providers, Dex for one, put the groups into the token only when they are asked for.
      const hasGroups = roles !== undefined && config.serverMetadata().scopes_supported?.includes('groups');
      return oidc.buildAuthorizationUrl(config, {
        ...{ redirect_uri: redirectUri, scope: `openid email profile${hasGroups ? ' groups' : ''}`, state, nonce },
        ...{ code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      });
    },

    /** Exchanges the code of the answer, once. `query`: with which the browser has come back. */
    redeem: async (query: URLSearchParams, { state, nonce, verifier }: BrowserState): Promise<Identity> => {
      const [oidc] = await load();
      const { config } = await discovered();
      const tokens = await oidc.authorizationCodeGrant(config, new URL(`${redirectUri}?${query.toString()}`), {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      });
      const { id_token: idToken } = tokens;
      const claims = tokens.claims();
      if (!claims || idToken === undefined) throw new Error('the provider sent no ID token');
      // The standard lets TLS stand for the signature here (OpenID Connect Core, 3.1.3.7); a proxy that ends TLS could then sign in as anyone.
      await verify(idToken);
      const isWhole = claims['email'] !== undefined && (roles === undefined || groupsIn(claims, groupsClaim).length > 0);
      const hasMore = !isWhole && config.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasMore ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
      const all: Readonly<Record<string, unknown>> = { ...more, ...claims };
      return {
        ...{ issuer: claims.iss, subject: claims.sub, idToken, groups: groupsIn(all, groupsClaim) },
        ...{ email: textIn(all['email']), emailVerified: all['email_verified'] === true, name: textIn(all['name']) },
        session: textIn(claims['sid']) ?? null,
      };
    },

    /** Where the browser ends its session at the provider; undefined: the provider has no such page. */
    endSession: async (idToken: string, returnTo: string): Promise<URL | undefined> => {
      const [oidc] = await load();
      const { config } = await discovered();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return oidc.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: returnTo });
    },
  };
};

export type Provider = ReturnType<typeof createProvider>;

const textIn = (claim: unknown): string | undefined => (typeof claim === 'string' && claim !== '' ? claim : undefined);
