import { fileURLToPath } from 'node:url';
import { freePort } from '../src/embedded/free-port.ts';
import { startServer, type Server } from './start-process.ts';

/** What a provider says of a person, by the name of the account. */
export type ProviderPeople = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface OidcProviderOptions {
  /** Where it may send browsers and logout tokens to. */
  readonly toolUrl: string;
  readonly callback?: string;
  readonly people: ProviderPeople;
  readonly port?: number;
  /** undefined: a public client. */
  readonly clientSecret?: string;
  /** Where logout tokens are posted. Default: none are. */
  readonly backchannelUrl?: string | undefined;
  /** The account whose codes can be exchanged for a second alone. Default: none; codes last a minute. */
  readonly lateAccount?: string;
  /** Whether e-mail address, name and groups are at the userinfo endpoint alone. */
  readonly leanTokens?: boolean;
}

export interface OidcProvider extends Server {
  readonly issuer: string;
}

export const CLIENT_ID = 'ad-server';
export const CLIENT_SECRET = 'a secret of the client at the provider';

/** Starts a provider of OpenID Connect on loopback, with a key of its own: started again, it has another one. */
export const startOidcProvider = async (options: OidcProviderOptions): Promise<OidcProvider> => {
  const { toolUrl, callback = '/auth/callback', people, clientSecret, backchannelUrl, lateAccount = '', leanTokens = false } = options;
  const port = options.port ?? (await freePort());
  const client = {
    ...{ client_id: CLIENT_ID, redirect_uris: [toolUrl + callback], post_logout_redirect_uris: [`${toolUrl}/static/sign-in.html`] },
    ...(clientSecret === undefined
      ? { token_endpoint_auth_method: 'none' }
      : { client_secret: clientSecret, token_endpoint_auth_method: 'client_secret_post' }),
    ...(backchannelUrl !== undefined && { backchannel_logout_uri: backchannelUrl, backchannel_logout_session_required: true }),
  };
  const server = await startServer({
    name: 'the provider',
    command: [process.execPath, fileURLToPath(new URL('oidc-provider.mjs', import.meta.url))],
    env: {
      CLIENTS: JSON.stringify([client]),
      PEOPLE: JSON.stringify(people),
      LATE_ACCOUNT: lateAccount,
      LEAN_TOKENS: leanTokens ? 'yes' : '',
    },
    port,
    readyPath: '/.well-known/openid-configuration',
  });
  return { ...server, issuer: `http://127.0.0.1:${port}` };
};
